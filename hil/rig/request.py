"""What a rig is told and what it tells: an order goes in, a report comes out, both as files too."""

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
        nonce: the mark of every log line.
        config_line: the board's configuration words.
        firmware: the board's firmware file.
        emulator: of a board that is emulated.
    """

    document: dict[str, Any]
    nonce: str
    config_line: str
    firmware: Path
    emulator: str = emulators.DEFAULT

    @cached_property
    def facts(self) -> Facts:
        """What is known of the trial."""
        return Facts.of(self.document["parameters"])

    def files(self) -> dict[str, bytes]:
        """The order as files, by name."""
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
        """The order that `files` hold; its firmware becomes a file in `folder`."""
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
    """How a trial went; becomes part of lab.json."""

    outcome: str = "ok"
    reason: str = ""
    lateness_s: float = 0.0
    virtual_s: float = 0.0
    captured: int = 0
    dropped: int = 0
    link: dict[str, Any] = field(default_factory=dict)
    # Of physical boards: identity and clock; which fault (hil/rig/faults.py) and whose.
    board: dict[str, Any] = field(default_factory=dict)
    fault: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, text: bytes) -> TrialReport:
        """The report that a file holds."""
        return cls(**json.loads(text))

    def text(self) -> bytes:
        """The report as a file."""
        return json.dumps(asdict(self), sort_keys=True).encode()

    def fail(self, outcome: str, reason: str) -> None:
        """Record what went wrong first; later fault is usually a consequence."""
        if self.outcome == "ok":
            self.outcome, self.reason = outcome, reason

    @contextlib.contextmanager
    def failures(self) -> Iterator[None]:
        """A TrialError in this block is the trial's failure, and its results are kept."""
        try:
            yield
        except TrialError as error:
            self.fail("failed", str(error))
