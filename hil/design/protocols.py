"""The table of protocols, workflow/protocols.yaml, which explains its keys.

Inside the machine it is JSON, because reading YAML would slow every boot.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hil.base.errors import InputError
from hil.base.paths import ROOT

TABLE = ROOT / "workflow" / "protocols.yaml"
PACKED = "workflow/protocols.json"  # below the folder of the project's modules
DEFAULT_PEER = "default"
# The peer that is a foreign program (hil/design/device.py), at the port of the default one.
PROGRAM_PEER = "program"


@dataclass(frozen=True)
class Mode:
    """A guarantee of a protocol: its name in studies (`mqtt-qos1`), its label, its parameters."""

    name: str
    label: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class ServerRow:
    """A server on the wired side.

    Attributes:
        broker_port: the port of the broker behind a gateway.
        machine: additions to the common flavour of the machine.
        time_us: quantiles of its time for a message (hil/design/servertime.py).
        secure_port: the port for TLS or DTLS.
        psk: whether it supports pre-shared keys.
        product: the name of the program that it is; empty if that is `name`.
    """

    name: str
    port: int
    broker_port: int | None
    machine: dict[str, Any]
    time_us: tuple[float, ...] = ()
    secure_port: int | None = None
    psk: bool = True
    product: str = ""


@dataclass(frozen=True)
class Protocol:
    """A row of the table."""

    name: str
    label: str
    transport: str
    roles: tuple[str, ...]
    loads: tuple[str, ...]
    servers: dict[str, ServerRow]
    modes: tuple[Mode, ...]

    def mode(self, parameters: dict[str, Any]) -> Mode | None:
        """Return the mode with these parameters; None if they do not decide it."""
        for mode in self.modes:
            if mode.parameters.items() <= parameters.items():
                return mode
        return None


def document() -> dict[str, Any]:
    """Read the table."""
    packed = ROOT / PACKED
    if packed.exists():
        return dict(json.loads(packed.read_text(encoding="utf-8")))
    from hil.base.documents import read_yaml  # noqa: PLC0415 - not in the image

    return dict(read_yaml(TABLE))


def _read(name: str, row: dict[str, Any]) -> Protocol:
    servers = {
        peer: ServerRow(
            name if peer == DEFAULT_PEER else peer,
            entry["port"],
            entry.get("broker_port"),
            entry.get("machine", {}),
            tuple(entry.get("time_us", ())),
            entry.get("secure_port"),
            entry.get("psk", True),
            entry.get("product", ""),
        )
        for peer, entry in row["servers"].items()
    }
    servers[PROGRAM_PEER] = ServerRow(PROGRAM_PEER, servers[DEFAULT_PEER].port, None, {})
    modes = tuple(
        Mode(
            f"{name}-{mode}",
            entry["label"],
            {key: value for key, value in entry.items() if key != "label"},
        )
        for mode, entry in row["modes"].items()
    )
    return Protocol(
        name,
        row["label"],
        row["transport"],
        tuple(row["roles"]),
        tuple(row["loads"]),
        servers,
        modes,
    )


@cache
def protocols() -> dict[str, Protocol]:
    """Return every protocol by its name, in the order of the table."""
    return {name: _read(name, row) for name, row in document().items()}


@cache
def servers() -> dict[str, ServerRow]:
    """Return every server by its name."""
    return {
        server.name: server
        for protocol in protocols().values()
        for server in protocol.servers.values()
    }


@cache
def modes() -> dict[str, tuple[Protocol, Mode]]:
    """Return every mode with its protocol, by its name, in the order of the table."""
    return {
        mode.name: (protocol, mode) for protocol in protocols().values() for mode in protocol.modes
    }


def choose_modes(words: str | list[str], source: str | Path, key: str) -> list[str]:
    """Return the modes that words name: `all`, a protocol (all of its modes), or a mode.

    Raises:
        InputError: a word names no mode.
    """
    found: list[str] = []
    for word in [words] if isinstance(words, str) else words:
        chosen = [
            name for name, (protocol, _) in modes().items() if word in ("all", protocol.name, name)
        ]
        if not chosen:
            raise InputError(
                source,
                key,
                f"'{word}' is no mode",
                f"give all, a protocol, or one of {', '.join(modes())}",
            )
        found += [name for name in chosen if name not in found]
    return found
