"""How the radio of a board was set, as it said itself: for the bundle, and against what the trial
asks for."""

from __future__ import annotations

from pathlib import Path

from hil.base.documents import Malformed, parse_json
from hil.design import radio
from hil.rig.request import TrialReport, TrialRequest


def note(report: TrialReport, request: TrialRequest, log: Path) -> None:
    """Put the last `radio` line of a board's log into the report; a trial whose radio was set in
    another way has failed."""
    found = {}
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        if '"ev":"radio"' in line.replace(" ", ""):
            try:
                found = radio.told(parse_json(line))
            except Malformed:  # its fault is told elsewhere
                continue
    if found:
        report.board["radio"] = found
    if report.outcome == "ok" and (wrong := radio.differs(request.facts, found)):
        report.fail("failed", f"configuration refused: the radio's {wrong}")
