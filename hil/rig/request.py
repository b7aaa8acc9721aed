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
from hil.design import device
from hil.design.facts import Facts
from hil.rig.boards import emulators

REQUEST, FIRMWARE, REPORT = "request.json", "firmware.elf", "report.json"
# Packages (hil/machine/package.py): of a foreign device, which replaces the firmware; of a foreign
# server.
PACKAGES = DEVICE, SERVER = ("device.tar", "server.tar")


def _content(file: bytes | Path) -> bytes:
    return file if isinstance(file, bytes) else file.read_bytes()


def _placed(file: bytes | Path, target: Path) -> Path:
    """Return the path of a file, which is `target` if its contents are given."""
    if isinstance(file, Path):
        return file
    target.write_bytes(file)
    return target


@dataclass(frozen=True)
class TrialRequest:
    """What a rig needs to run a trial.

    Attributes:
        document: trial.json.
        nonce: that every log line contains.
        config_line: of the board, from Board.config; of each of several devices, one a line.
        firmware: the board's firmware file; of a foreign device its package.
        emulator: of an emulated board.
        server: the package of a foreign server.
        halt_ps: when the board halts first and waits for a debugger, in ps since it was switched
            on; None: never.
    """

    document: dict[str, Any]
    nonce: str
    config_line: str
    firmware: Path
    emulator: str = emulators.DEFAULT
    server: Path | None = None
    halt_ps: int | None = None

    @cached_property
    def facts(self) -> Facts:
        """The facts of the trial."""
        return Facts.of(self.document["parameters"])

    @property
    def packaged(self) -> bool:
        """Whether the firmware is a package."""
        return self.document["firmware"]["board"] in device.BOARDS

    def _halt(self) -> int | None:
        """Return what the machine learns of the halt. That of a foreign program is decided outside
        of it: so the request has the same length with a halt (true) as without one (null), and what
        is computed inside does not differ."""
        return True if self.packaged and self.halt_ps is not None else self.halt_ps

    def files(self) -> dict[str, bytes | Path]:
        """Return the request as files, by name: their contents, or where they are."""
        request = {
            "document": self.document,
            "nonce": self.nonce,
            "config_line": self.config_line,
            "emulator": self.emulator,
            "halt_ps": self._halt(),
        }
        return {
            REQUEST: json.dumps(request, sort_keys=True).encode(),
            **({DEVICE: self.firmware} if self.packaged else {FIRMWARE: _content(self.firmware)}),
            **({SERVER: self.server} if self.server else {}),
        }

    @classmethod
    def of(cls, files: Mapping[str, bytes | Path], folder: Path) -> TrialRequest:
        """Return the request in `files`. Of files that are given by their contents it writes a copy
        into `folder`."""
        request = json.loads(_content(files[REQUEST]))
        return cls(
            request["document"],
            request["nonce"],
            request["config_line"],
            next(
                _placed(files[name], folder / name) for name in (DEVICE, FIRMWARE) if name in files
            ),
            request["emulator"],
            _placed(files[SERVER], folder / SERVER) if SERVER in files else None,
            request["halt_ps"],
        )


def prepared(files: Mapping[str, bytes | Path]) -> tuple[str, str, list[str]]:
    """Return what can be ready before the request in `files` arrives: the names of its board, of
    its link and of its servers."""
    document = json.loads(_content(files[REQUEST]))["document"]
    facts = Facts.of(document["parameters"])
    return document["firmware"]["board"], facts.link, list(facts.by_server)


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
