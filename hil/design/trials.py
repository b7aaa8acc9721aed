"""Trials: the name, seed, facts and document of one point and repetition of a study."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

from hil.base.schema import validate
from hil.design.device import Device
from hil.design.facts import Facts
from hil.design.parameters import MODE

DEFAULT_TESTBED = "virtual"
DEFAULT_BOARD = "lx106"
_UNIT = re.compile(r"_(us|ms|s|bytes|mbps|pct|db|tu)$")


def canonical_json(document: Any) -> str:
    """Return JSON with sorted keys and no blanks, the form that is hashed."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def label(key: str, value: Any) -> str:
    """Return a factor's part of a trial's name: `qos1`, `nagle0`, `interval100`."""
    if isinstance(value, str):
        return value if key in ("protocol", MODE) else f"{_UNIT.sub('', key)}-{value}"
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, list) and value and isinstance(value[0], dict):
        groups = ["-".join(label(name, group[name]) for name in group) for group in value]
        return "_".join([key, *groups])
    if isinstance(value, list):
        flat = [part for item in value for part in (item if isinstance(item, list) else [item])]
        value = "-" + "-".join(map(str, flat)) if flat else "-none"
    return f"{_UNIT.sub('', key)}{value}"


def beginning(point: dict[str, Any]) -> str:
    """Return what precedes the repetition in the names of a point's trials."""
    return "_".join([*(label(key, value) for key, value in point.items()), "r"])


@dataclass(frozen=True)
class Trial:
    """One point of a study's factor matrix and a repetition number.

    Attributes:
        device: the foreign program that is the device, on the boards of hil/design/device.py.
        server: the foreign program that is the server, where the parameter `peer` is `program`.
    """

    study: str
    point: dict[str, Any]
    repetition: int
    parameters: dict[str, Any] = field(compare=False)
    testbed: str = DEFAULT_TESTBED
    board: str = DEFAULT_BOARD
    device: Device | None = None
    server: Device | None = None

    @property
    def design(self) -> str:
        """The trial's name without testbed and board, on which the seed depends."""
        return f"{beginning(self.point)}{self.repetition}"

    @property
    def id(self) -> str:
        """The name of the trial, unique within its study."""
        usual = {DEFAULT_TESTBED, DEFAULT_BOARD}
        unusual = [name for name in (self.testbed, self.board) if name not in usual]
        return "_".join([self.design, *unusual])

    @property
    def facts(self) -> Facts:
        """The trial's parameters as attributes, and values derived from them."""
        return Facts.of(self.parameters)

    @property
    def seed(self) -> int:
        """Seed of every random stream of the trial, 32 bits, from the study and the design."""
        digest = hashlib.sha256(f"{self.study}/{self.design}".encode()).digest()
        return int.from_bytes(digest[:4], "big")

    def document(
        self, firmware: dict[str, str], versions: dict[str, str], server_sha256: str = ""
    ) -> dict[str, Any]:
        """Return the validated content of trial.json.

        Args:
            firmware: `board` and `sha256` of the firmware that the board runs.
            versions: of other software that affects the result (`thinwire`, ...).
            server_sha256: of the package of a foreign server.
        """
        document = {
            "schema": 1,
            "study": self.study,
            "trial": self.id,
            "point": self.point,
            "repetition": self.repetition,
            "seed": self.seed,
            "parameters": self.parameters,
            "testbed": self.testbed,
            "firmware": firmware,
            "versions": versions,
        }
        if self.device:
            document["device"] = self.device.document()
        if self.server:
            document["server"] = self.server.document() | {"sha256": server_sha256}
        validate(document, "trial", f"trial {self.study}/{self.id}")
        return document


def nonce(document: dict[str, Any]) -> str:
    """Return the nonce of each log line of a trial: 8 hex digits of trial.json's hash."""
    return hashlib.sha256(canonical_json(document).encode()).hexdigest()[:8]
