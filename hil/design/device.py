"""A foreign program of a trial: a device, or a server, that is none of this project's.

It is a Linux program with its own network stack (`tap`) or with the kernel's (`program`). Its file
of the trial, the package, is a root file system (hil/machine/package.py). Or it is firmware of the
LX106 (`image`), and its file is an ELF file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hil.design import addressing
from hil.design.facts import Facts

PROGRAM, TAP, IMAGE = "program", "tap", "image"
# The boards that run a package; their names are those of its kinds.
BOARDS = (PROGRAM, TAP)
# All boards that run what is none of this project's.
FOREIGN_BOARDS = (*BOARDS, "lx106")
# The user's folder inside the root file system of the package, and the working folder.
FOLDER = "/device"
# What arguments and values of the environment may name in braces.
PLACEHOLDERS = (
    "server",
    "port",
    "seed",
    "id",
    "topic",
    "duration_s",
    "messages",
    "interval_ms",
    "payload_bytes",
    "ip",
    "netmask",
    "mac",
    "interface",
    "nonce",
)
_PLACE = re.compile(r"\{(" + "|".join(PLACEHOLDERS) + r")\}")


@dataclass(frozen=True)
class Device:
    """How a foreign program is started.

    Attributes:
        kind: PROGRAM, TAP or IMAGE.
        argv: the program and its arguments, with placeholders. `./NAME` is a file of the user's
            folder, a path that begins with `/` one of the package, another word a program on PATH.
            The first word of an image is its name only.
        environment: further variables, with placeholders in their values; an image has none.
    """

    kind: str
    argv: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Device:
        """Return the device in a trial's document (trial.schema.json)."""
        return cls(document["kind"], tuple(document["argv"]), dict(document["environment"]))

    def document(self) -> dict[str, Any]:
        """Return it as part of a trial's document."""
        return {
            "kind": self.kind,
            "argv": list(self.argv),
            "environment": dict(sorted(self.environment.items())),
        }

    def resolved(self, values: Mapping[str, object]) -> Device:
        """Return it with the placeholders of `values` replaced. Other braces stay as they are, so
        that an argument may be JSON."""

        def place(text: str) -> str:
            return _PLACE.sub(lambda found: str(values.get(found[1], found[0])), text)

        variables = {name: place(value) for name, value in self.environment.items()}
        return Device(self.kind, tuple(map(place, self.argv)), variables)


def values(document: Mapping[str, Any], interface: str = "") -> dict[str, object]:
    """Return the values of a device's placeholders in the trial `document` (trial.json), but for
    the nonce.

    Args:
        interface: the network interface of a program.
    """
    facts = Facts.of(document["parameters"])
    return {
        "server": addressing.SERVER_IP,
        "port": facts.port,
        "seed": document["seed"],
        "id": addressing.BOARD_ID,
        "topic": addressing.TOPIC,
        "duration_s": facts.duration_s,
        "messages": facts.messages,
        "interval_ms": facts.interval_ms,
        "payload_bytes": facts.payload_bytes,
        "ip": addressing.BOARD_IP,
        "netmask": addressing.NETMASK,
        "mac": addressing.BOARD_MAC,
        "interface": interface,
    }
