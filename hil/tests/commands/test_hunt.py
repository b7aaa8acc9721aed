"""Does `thinwire hunt` search the same sequence after a stop? (The laboratory's part is in
hil/tests/lab/test_hunt_machine.py.)"""

from __future__ import annotations

import dataclasses
import json
import time
from array import array
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hil import cli
from hil.base.errors import InputError, LabError
from hil.commands import hunt, hunt_finds, hunt_report, hunt_search, hunt_state
from hil.commands.hunt_coverage import Function
from hil.commands.hunt_judge import Violation
from hil.commands.hunt_search import Search
from hil.commands.hunt_state import State
from hil.commands.hunt_trials import Examined
from hil.design import schedules, tryfile
from hil.design.schedules import Space
from hil.design.shrinking import Case
from hil.tests.support.hunts import examined, judge

TEXT = """\
device: {engine: mqtt-qos1}
parameters: {payload_bytes: 30, interval_ms: 100}
duration_s: 9
expect: {delivered: 100 %}
"""
SPACE = Space(20.0, {("PUBLISH", "device"): 30}, lambda _: True)


class FakeLaboratory:
    """Answers at once, from the schedule alone: delays break `delivered`."""

    jobs = 2

    def __init__(self, failing: bool = False, featureless: bool = False) -> None:
        self.tried = SimpleNamespace(parameters={"duration_s": 60})
        self.ran: list[str] = []
        self.failing, self.featureless = failing, featureless

    def begin(self, case: Case) -> Future[Examined]:
        self.ran.append(schedules.text(case.faults))
        kinds = {fault["kind"] for fault in case.faults}
        bad = {"delivered_of_sent_pct": 90.0} if "delay" in kinds else {}
        found = dataclasses.replace(
            examined(case.faults, **bad),
            features=() if self.featureless else tuple(sorted(kinds)),
            executed=array("I", sorted({256, *map(len, kinds)})),
        )
        answer: Future[Examined] = Future()
        answer.set_result(Examined(case, lab_failure="why") if self.failing else found)
        return answer

    def forget(self, case: Case) -> None:
        pass


class FakeFinder(hunt_finds.Finder):
    """Stores no folder, and shrinks nothing."""

    def __init__(self) -> None:
        pass

    def unsteady(self, violation: Violation, examined: Examined) -> str:
        return "two runs differ" if len(examined.case.faults) > 2 else ""

    def shrunk(self, violation: Violation, case: Case, until: float, tick: Any) -> Examined | None:
        return None

    def store(self, violation: Violation, examined: Examined, number: int) -> dict[str, Any]:
        return {"kind": violation.kind, "faults": examined.case.faults, "again": 0}


def search(
    out: Path, count: int, conditions: str = "c", finds: int | None = None, **settings: Any
) -> tuple[State, list[str]]:
    laboratory = FakeLaboratory(**settings)
    state = hunt_state.load(out, conditions)
    Search(
        laboratory=laboratory,  # type: ignore[arg-type]
        judge=judge(),
        space=SPACE,
        finder=FakeFinder(),
        state=state,
        out=out,
        seed=3,
        show=lambda state, gone, what: None,
    ).run(60.0, count, finds)
    return state, laboratory.ran


def test_a_search_goes_on_after_a_stop_as_if_there_had_been_none(tmp_path: Path) -> None:
    whole, ran = search(tmp_path / "one", 60)
    first, early = search(tmp_path / "two", 25)
    assert (first.tried, len(early)) == (25, 25 + 2 * FakeLaboratory.jobs - 1)
    second, late = search(tmp_path / "two", 60)
    assert [*early[:25], *late] == ran
    assert second.known == whole.known and second.pool == whole.pool
    assert second.finds == whole.finds


def test_finds_are_told_apart_by_expectation_kinds_and_packets(tmp_path: Path) -> None:
    state, _ = search(tmp_path, 400)
    found = [one["faults"] for one in state.finds]
    assert 1 <= len(found) <= 5
    for number, one in enumerate(found):
        assert not any(hunt_finds.explains(earlier, one) for earlier in found[:number])
    assert sum(one["again"] for one in state.finds) > 0
    assert all(len(one["faults"]) > 2 for one in state.unsteady)


def test_a_search_stops_at_a_number_of_finds_and_goes_on_for_more(tmp_path: Path) -> None:
    whole, ran = search(tmp_path / "one", 400)
    first, early = search(tmp_path / "two", 400, finds=1)
    assert (len(first.finds), first.tried < 400) == (1, True)
    second, late = search(tmp_path / "two", 400)
    assert [*early[: first.tried], *late] == ran and second.finds == whole.finds


def test_a_search_of_something_else_begins_with_the_corpus(tmp_path: Path) -> None:
    search(tmp_path, 40)
    kept = [json.loads(path.read_text()) for path in (tmp_path / "corpus").iterdir()]
    assert any(one["broke"] for one in kept) and not all(one["broke"] for one in kept)
    state, ran = search(tmp_path, len(kept), conditions="another client")
    assert sorted(ran[: len(kept)]) == sorted(schedules.text(one["faults"]) for one in kept)
    broke = [schedules.text(one["faults"]) for one in kept if one["broke"]]
    assert sorted(ran[: len(broke)]) == sorted(broke)
    assert state.tried == len(kept)


def test_a_laboratory_that_always_fails_ends_the_search(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="in a row: why"):
        search(tmp_path, 1000, failing=True)
    assert len(hunt_state.load(tmp_path, "c").lab_failures) == hunt_search._MOST_FAILURES


def test_the_time_ends_a_search(tmp_path: Path) -> None:
    began = time.monotonic()
    state = State("c")
    Search(
        laboratory=FakeLaboratory(),  # type: ignore[arg-type]
        judge=judge(),
        space=SPACE,
        finder=FakeFinder(),
        state=state,
        out=tmp_path,
        seed=3,
        show=lambda state, gone, what: None,
    ).run(0.2)
    assert time.monotonic() - began < 20
    assert state.tried > 0


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "hunt.json"), ('{"form": 1, "other": 2}', "no state"), ('{"form": 9}', "version")],
)
def test_a_damaged_state_is_bad_input(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / hunt_state.FILE).write_text(text)
    with pytest.raises(InputError, match=said):
        hunt_state.load(tmp_path, "c")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--for", "never"], "write 90s, 10m or 8h"),
        (["--jobs", "0"], "give 1 to"),
        (["--schedules", "0"], "give 1 or more"),
        (["--finds", "0"], "give 1 or more"),
        (["--only", "delivery"], "known are: "),
        (["--out", "{}/results"], "inside the client's folder"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    (tmp_path / tryfile.FILE).write_text(TEXT)
    given = ["hunt", str(tmp_path), *(word.format(tmp_path) for word in words)]
    try:
        status = cli.main(given)
    except SystemExit as end:
        status = end.code  # type: ignore[assignment]
    assert status == 2
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_times_have_a_unit() -> None:
    assert [hunt.duration_s(word) for word in ("90s", "10m", "1.5h")] == [90, 600, 5400]


def test_the_results_count_what_was_searched() -> None:
    state = State("c", tried=120, ran_s=60.0, features=["a", "b"], unsettled=3)
    assert hunt_report.progress(state) == "120 schedules (7200/h), 2 features covered, 0 found"
    found = hunt_report.document(state, judge(), [])
    assert (found["schedules_per_h"], found["unsettled"], found["finds"]) == (7200.0, 3, [])
    lines = hunt_report.lines(state, judge(), [])
    assert any("failures of the laboratory" in line for line in lines)
    assert not any("executed" in line for line in lines)


def test_the_results_count_what_was_executed() -> None:
    state = State("c", executed=[1, 3, 5])
    functions = [Function("main", "", "1", 9, 6), Function("spare", "", "f", 9, 0)]
    assert "3 instructions executed" in hunt_report.progress(state)
    assert (
        hunt_report.lines(state, judge(), functions)[-1]
        == "3 instructions executed, in 1 of 2 functions: coverage.csv"
    )
    found = hunt_report.document(state, judge(), functions)
    assert (found["instructions"], found["functions"]) == (3, {"executed": 1, "known": 2})


def test_a_schedule_that_executes_something_new_is_changed_further(tmp_path: Path) -> None:
    state, _ = search(tmp_path, 60, featureless=True)
    lengths = {len(kind) for kind in SPACE.kinds}
    assert state.executed == sorted({256, *lengths})
    assert len(state.pool) == len(lengths) and state.features == []
