"""The files that a rig leaves. All but what the device has executed become a bundle."""

from __future__ import annotations

from pathlib import Path

from hil.rig.boards import emulators
from hil.rig.request import REPORT, TrialReport

RESULT_FILES = (
    "wire.pcap",
    "air.pcapng",
    "monitor.pcap",
    "board.jsonl",
    "devices.jsonl",
    "board.out.txt",
    "server.jsonl",
    "server.out.txt",
    emulators.COVERAGE,
)


def results(folder: Path, report: TrialReport) -> dict[str, bytes | Path]:
    """Return the files of raw results in a rig's folder, and the report, by name."""
    found: dict[str, bytes | Path] = {
        name: folder / name for name in RESULT_FILES if (folder / name).exists()
    }
    found[REPORT] = report.text()
    return found
