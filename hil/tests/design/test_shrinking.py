"""Does shrinking end at the smallest schedule that still fails, whatever runs at once?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.design.schedules import key_values
from hil.design.shrinking import Case, shrink

VALUES = key_values()
STEPS_S = (5, 1, 0.5, 0.1)
LOSS = {"kind": "loss", "at": {"packet": "PUBLISH", "number": 13, "after_s": 2}, "frames": 3}
DELAY = {"kind": "delay", "at_s": 3.3, "delay_ms": 3000}
HALF = {"kind": "half_open", "at_s": 7.3, "for_s": 8, "from": "device"}
PAUSE = {"kind": "server_pause", "at_s": 2, "for_s": 4}


def shrunk(case: Case, fails: Callable[[Case], bool]) -> tuple[Case, int]:
    """The result, and how many trials were run one after the other."""
    count = 0

    def first_failing(cases: Sequence[Case]) -> int | None:
        nonlocal count
        for number, one in enumerate(cases):
            count += 1
            if fails(one):
                return number
        return None

    return shrink(case, first_failing, VALUES, STEPS_S), count


def faults_of(case: Case, kind: str) -> list[dict[str, Any]]:
    return [fault for fault in case.faults if fault["kind"] == kind]


def test_only_the_fault_that_matters_is_left_in_its_simplest_form() -> None:
    def fails(case: Case) -> bool:
        return any(fault["for_s"] >= 2 for fault in faults_of(case, "half_open"))

    small, count = shrunk(Case([LOSS, DELAY, HALF, PAUSE], 40), fails)
    assert small.duration_s == 2
    (fault,) = small.faults
    assert fault == {"kind": "half_open", "at_s": 0, "for_s": 2}
    assert count < 40


def test_two_faults_that_need_each_other_stay() -> None:
    def fails(case: Case) -> bool:
        times = [fault["at_s"] for fault in faults_of(case, "delay")]
        numbers = [fault["at"].get("number", 1) for fault in faults_of(case, "loss")]
        return any(t >= 3 for t in times) and any(n >= 4 for n in numbers) and case.duration_s >= 9

    small, _ = shrunk(Case([HALF, LOSS, PAUSE, DELAY], 40), fails)
    assert [fault["kind"] for fault in small.faults] == ["loss", "delay"]
    assert small.faults[0] == {"kind": "loss", "at": {"packet": "PUBLISH", "number": 4}}
    assert small.faults[1] == {"kind": "delay", "at_s": 3, "delay_ms": 1000}
    assert small.duration_s in range(9, 13)


def test_what_cannot_be_simpler_stays_as_it_is() -> None:
    case = Case([HALF, PAUSE], 30)
    assert shrunk(case, lambda one: one == case)[0] == case


def test_times_become_rounder_before_they_become_earlier() -> None:
    case = Case([{"kind": "tcp_reset", "at_s": 7.3}], 2)
    small, _ = shrunk(case, lambda one: one.faults[0]["at_s"] >= 6.4)
    assert small.faults[0]["at_s"] == 7


@pytest.mark.parametrize("at_once", [2, 7])
def test_the_result_does_not_depend_on_how_many_run_at_once(at_once: int) -> None:
    def fails(case: Case) -> bool:
        return bool(faults_of(case, "loss")) and case.duration_s > 5

    def in_chunks(cases: Sequence[Case]) -> int | None:
        for begin in range(0, len(cases), at_once):
            failing = [fails(one) for one in cases[begin : begin + at_once]]
            if any(failing):
                return begin + failing.index(True)
        return None

    case = Case([HALF, LOSS, PAUSE, DELAY], 40)
    assert shrink(case, in_chunks, VALUES, STEPS_S) == shrunk(case, fails)[0]


@given(st.lists(st.sampled_from([LOSS, DELAY, HALF, PAUSE]), min_size=1, max_size=6), st.data())
def test_any_predicate_ends_at_a_case_that_fails(faults: list[Any], data: st.DataObject) -> None:
    case = Case(faults, 40)
    known: dict[str, bool] = {}

    def fails(one: Case) -> bool:
        return known.setdefault(repr(one), data.draw(st.booleans()))

    small, count = shrunk(case, fails)
    assert small == case or known[repr(small)]
    assert len(small.faults) <= len(faults) and small.duration_s <= 40
    assert count < 3000
