"""The radio settings that a board logged: recorded in the bundle, and compared with the trial."""

from __future__ import annotations

from pathlib import Path

from hil.base.documents import Malformed, parse_json
from hil.design import radio
from hil.rig.request import TrialReport, TrialRequest


def note(report: TrialReport, request: TrialRequest, log: Path) -> None:
    """Add the last `radio` line of a board's log to the report. A trial whose radio settings differ
    from the requested ones has failed."""
    settings = {}
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        if '"ev":"radio"' in line.replace(" ", ""):
            try:
                settings = radio.reported(parse_json(line))
            except Malformed:  # the board reports damaged lines itself
                continue
    if settings:
        report.board["radio"] = settings
    if report.outcome == "ok" and (wrong := radio.differs(request.facts, settings)):
        report.fail("failed", f"configuration refused: the radio's {wrong}")
