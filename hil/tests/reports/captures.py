"""Run `thinwire analyze` on a capture as a user does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hil.bundle import pcapng
from hil.bundle.pcapng import Frame
from hil.design import addressing
from hil.tests.reports.wire import Wire


def _run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hil.cli", "analyze", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@dataclass(frozen=True)
class Analysis:
    """The result for one capture. `status` is the exit status, `said` standard error, `json` the
    object of the capture, empty if there is none."""

    words: tuple[str, ...]
    status: int
    said: str
    json: dict[str, Any]

    def _row(self, name: str, group: str | None) -> dict[str, Any] | None:
        rows = self.json.get("metrics", [])
        if group is not None:
            groups = self.json.get("by_topic") or self.json.get("by_peer") or []
            rows = next((entry["metrics"] for entry in groups if entry["group"] == group), [])
        return next((row for row in rows if row["metric"] == name), None)

    def metric(self, name: str, group: str | None = None) -> float | None:
        """Value of a metric, of the whole capture or of one of `--by`'s groups; None: absent."""
        row = self._row(name, group)
        return row and row["value"]

    def n(self, name: str, group: str | None = None) -> int:
        """Number of values that a metric rests on, 0 if it is absent."""
        row = self._row(name, group)
        return row["n"] if row else 0

    def header(self, item: str) -> str | None:
        """Item of the header, such as "protocol"; None: absent."""
        return self.json.get(item, {}).get("value")

    @cached_property
    def warnings(self) -> list[str]:
        """The warnings, without the program's name and that of the capture."""
        head = "thinwire: warning: "
        lines = [line for line in self.said.splitlines() if line.startswith(head)]
        return [line.removeprefix(head).split(": ", 1)[-1] for line in lines]

    @cached_property
    def error(self) -> str:
        """The line that says why there is no result; "" if there is one."""
        head = "thinwire: error: "
        lines = [line for line in self.said.splitlines() if line.startswith(head)]
        return lines[-1].removeprefix(head) if lines else ""

    @cached_property
    def text(self) -> str:
        """The table for reading, of a second run."""
        return _run([*self.words, "--format", "table"]).stdout


def analyze(
    capture: Wire | Sequence[Frame] | Path,
    *options: str,
    folder: Path,
    device: str = addressing.BOARD_IP,
) -> Analysis:
    """Run `thinwire analyze CAPTURE --device DEVICE OPTIONS`.

    Args:
        capture: its frames, or a file.
        options: further words of the command line.
        folder: for the capture's file.
        device: its address; "" for none, which lists the conversations.
    """
    if isinstance(capture, Path):
        file = capture
    else:
        file = folder / "situation.pcapng"
        packets = capture.frames if isinstance(capture, Wire) else list(capture)
        file.write_bytes(pcapng.encode(packets))
    words = (str(file), *(("--device", device) if device else ()), *options)
    run = _run([*words, "--format", "json"])
    results = json.loads(run.stdout)["captures"] if run.stdout else [{}]
    return Analysis(words, run.returncode, run.stderr, results[0])
