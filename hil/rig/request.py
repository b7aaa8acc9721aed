"""The input and output of a rig: a trial request and a trial report, both also as files."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from hil.base.errors import TrialError
from hil.design.facts import Facts
from hil.rig.boards import emulators

REQUEST, FIRMWARE, REPORT = "request.json", "firmware.elf", "report.json"


@dataclass(frozen=True)
class TrialRequest:
    """What a rig needs to run a trial.

    Attributes:
        document: trial.json.
        nonce: that every log line contains.
        config_line: of the board, from Board.config.
        firmware: the board's firmware file.
        emulator: of an emulated board.
    """

    document: dict[str, Any]
    nonce: str
    config_line: str
    firmware: Path
    emulator: str = emulators.DEFAULT

    @cached_property
    def facts(self) -> Facts:
        """The facts of the trial."""
        return Facts.of(self.document["parameters"])

    def files(self) -> dict[str, bytes]:
        """Return the request as files, by name."""
        request = {
            "document": self.document,
            "nonce": self.nonce,
            "config_line": self.config_line,
            "emulator": self.emulator,
        }
        return {
            REQUEST: json.dumps(request, sort_keys=True).encode(),
            FIRMWARE: self.firmware.read_bytes(),
        }

    @classmethod
    def of(cls, files: Mapping[str, bytes], folder: Path) -> TrialRequest:
        """Return the request in `files`, after writing its firmware into `folder`."""
        request = json.loads(files[REQUEST])
        firmware = folder / FIRMWARE
        firmware.write_bytes(files[FIRMWARE])
        return cls(
            request["document"],
            request["nonce"],
            request["config_line"],
            firmware,
            request["emulator"],
        )


@dataclass
class TrialReport:
    """How a trial went; it becomes part of lab.json."""

    outcome: str = "ok"
    reason: str = ""
    lateness_s: float = 0.0
    virtual_s: float = 0.0
    captured: int = 0
    dropped: int = 0
    link: dict[str, Any] = field(default_factory=dict)
    # Of physical boards: identity and clock; the fault (hil/rig/faults.py) and its owner.
    board: dict[str, Any] = field(default_factory=dict)
    fault: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, text: bytes) -> TrialReport:
        """Return the report in a file's contents."""
        return cls(**json.loads(text))

    def text(self) -> bytes:
        """Return the report as a file's contents."""
        return json.dumps(asdict(self), sort_keys=True).encode()

    def fail(self, outcome: str, reason: str) -> None:
        """Record the first failure; later ones are usually its consequences."""
        if self.outcome == "ok":
            self.outcome, self.reason = outcome, reason

    @contextlib.contextmanager
    def failures(self) -> Iterator[None]:
        """Record a TrialError in this block as the trial's failure, and keep its results."""
        try:
            yield
        except TrialError as error:
            self.fail("failed", str(error))
