"""Does firmware/tests/hunt_mutants.py tell how a search notices a mutant? (The searches themselves
need the laboratory: `make hunts-mutants`.)"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from hil.base.paths import ROOT

sys.path.insert(0, str(ROOT / "firmware" / "tests"))
hunt_mutants = importlib.import_module("hunt_mutants")

FIND = {"expected": "delivered: 100 %", "faults": [{"kind": "loss"}], "duration_s": 9}
WEAK = {"expectation": "malformed: 0", "reason": "does not hold without faults: 3"}
NONE = {"expectation": "delivered: 100 %", "reason": "does not apply"}


def results(**changes: Any) -> dict[str, Any]:
    return {"schedules": 4, "left_out": [NONE], "lab_failures": [], "finds": []} | changes


class Answers:
    """Answers the commands for the mutant by `hunted`, and those for the sound client."""

    def __init__(self, hunted: Any, holds: bool = True) -> None:
        self._hunted, self._holds = hunted, holds

    def thinwire(self, command: str, folder: str, *_: str) -> tuple[int, dict[str, Any]]:
        if command == "try":
            return 0, {"expectations": [{"name": "delivered", "pass": self._holds}]}
        if Path(folder).name != "client":
            return 0, results()
        if isinstance(self._hunted, Exception):
            raise self._hunted
        return 1, self._hunted


@pytest.mark.parametrize(
    ("answers", "noticed"),
    [
        (Answers(results()), ("no", "", 4)),
        (Answers(results(finds=[FIND])), ("with faults", "delivered: 100 %", 4)),
        (Answers(results(finds=[FIND]), holds=False), ("no", "", 4)),
        (Answers(results(left_out=[NONE, WEAK])), ("without faults", "malformed: 0", 0)),
        (
            Answers(hunt_mutants.Failed("x: the trial without faults fails: exit status 1")),
            ("without faults", "outcome", 0),
        ),
    ],
)
def test_a_mutant_is_noticed_by_what_the_sound_client_holds(
    answers: Answers, noticed: tuple[str, str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hunt_mutants.reports, "build", lambda *_: None)
    (mutant,) = hunt_mutants.drawn(1, 1)
    hunts = hunt_mutants.Hunts(tmp_path, 4, "1")
    assert hunts.noticed(mutant, answers) == noticed


def test_a_failure_of_the_laboratory_is_no_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hunt_mutants.reports, "build", lambda *_: None)
    (mutant,) = hunt_mutants.drawn(1, 1)
    failing = Answers(results(lab_failures=[{"reason": "no memory"}]))
    with pytest.raises(hunt_mutants.Failed, match="no memory"):
        hunt_mutants.Hunts(tmp_path, 4, "1").noticed(mutant, failing)


def test_a_larger_sample_begins_as_a_smaller_one() -> None:
    assert hunt_mutants.drawn(30, 1)[:20] == hunt_mutants.drawn(20, 1)
    assert hunt_mutants.drawn(20, 2) != hunt_mutants.drawn(20, 1)
