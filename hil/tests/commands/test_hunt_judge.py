"""Does `thinwire hunt` judge trials by its rules?"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from hil.commands.hunt_judge import Judge
from hil.commands.hunt_trials import Examined
from hil.design.shrinking import Case
from hil.tests.support.hunts import ALL, OWN, examined, judge

LOSS = {"kind": "loss", "at_s": 1}
FLIP = {"kind": "bit_flip", "at_s": 1}


def broken(one: Judge, *given: Any, **values: float | None) -> list[str]:
    return [each.expectation.metric for each in one.violations(examined(*given, **values))]


def test_a_broken_expectation_is_found_and_one_that_holds_is_not() -> None:
    assert broken(judge(), [LOSS], delivered_of_sent_pct=90.0) == ["delivered_of_sent_pct"]
    assert broken(judge(), [LOSS], identifier_violations=1.0) == ["identifier_violations"]
    assert broken(judge(), [LOSS]) == []


def test_what_does_not_hold_without_faults_is_not_judged() -> None:
    without = judge(delivered_of_sent_pct=90.0, identifier_violations=None)
    said = {one.metric: reason for one, reason in without.left_out}
    assert said["delivered_of_sent_pct"].startswith("does not hold without faults: 90")
    assert said["identifier_violations"] == "does not apply"
    assert not broken(without, [LOSS], delivered_of_sent_pct=80.0, identifier_violations=3.0)


@pytest.mark.parametrize("over_s", [140.0, None])
def test_a_fault_that_lasts_too_long_excuses_all_but_counted_violations(
    over_s: float | None,
) -> None:
    values = {"delivered_of_sent_pct": 50.0, "dup_violations": 1.0}
    assert broken(judge(), [LOSS], over_s, **values) == ["dup_violations"]


def test_what_was_not_measured_breaks_the_files_own_expectations_and_the_way_back() -> None:
    absent = {"delivered_of_sent_pct": None, "acknowledged_lost": None, "back_after_fault_s": None}
    assert broken(judge(), [LOSS], **absent) == ["delivered_of_sent_pct", "back_after_fault_s"]
    assert broken(judge(), [LOSS], float("-inf"), **absent) == []


def test_damage_that_reaches_the_application_excuses_what_depends_on_it() -> None:
    values = {"delivered_of_sent_pct": 90.0, "malformed": 1.0, "device_resets": 1.0}
    assert set(broken(judge(), [FLIP], **values)) == set(values)
    assert broken(judge(), [FLIP | {"valid_checksum": True}], **values) == ["device_resets"]


@pytest.mark.parametrize(("protocol", "judged"), [("mqtt", True), ("coap", False)])
def test_a_damaged_exchange_of_coap_lasts_as_long_as_it_may(protocol: str, judged: bool) -> None:
    slow = {"back_after_fault_s": 40.0}
    assert broken(judge(protocol), [FLIP], **slow)
    damaged = broken(judge(protocol), [FLIP | {"valid_checksum": True}], **slow)
    assert bool(damaged) == judged


def test_a_reset_of_the_device_excuses_what_it_had_not_delivered() -> None:
    values = {"delivered_of_sent_pct": 90.0, "dup_violations": 1.0}
    reset = {"kind": "device_reset", "at_s": 1}
    assert broken(judge(), [LOSS, reset], **values) == ["dup_violations"]


def test_the_time_to_come_back_needs_messages_for_twice_as_long() -> None:
    short = dataclasses.replace(examined([], back_after_fault_s=None), arrived_s=(90.0, 129.0))
    assert any("twice as long" in reason for _, reason in Judge(OWN, ALL, short, "mqtt").left_out)
    assert judge().settle_s == 20


def test_a_shorter_trial_leaves_the_same_time_to_recover() -> None:
    short = dataclasses.replace(examined([], back_after_fault_s=None), arrived_s=(90.0, 105.0))
    assert broken(judge().again(short), [LOSS], 84.0, delivered_of_sent_pct=50.0)
    assert not broken(judge().again(short), [LOSS], 86.0, delivered_of_sent_pct=50.0)


@pytest.mark.parametrize("qos", [None, 1, 2])
def test_what_a_killed_server_has_in_hand_is_no_find_at_qos_2(qos: int | None) -> None:
    def found(kind: str) -> bool:
        fault = {"kind": kind, "at_s": 1}
        return bool(broken(judge(qos=qos), [fault], delivered_of_sent_pct=98.0))

    assert found("tcp_reset")
    assert found("server_kill") == (qos != 2)


def test_a_failed_trial_breaks_its_outcome_alone() -> None:
    failed = dataclasses.replace(
        examined([LOSS], delivered_of_sent_pct=0.0), outcome="failed", reason="status 7 at 3 s"
    )
    (one,) = judge().violations(failed)
    assert (one.expectation.metric, one.said) == ("outcome_ok", "status 7 at 3 s")
    assert one.kind == "status N at N s"
    assert judge().violations(Examined(Case([LOSS], 60), lab_failure="no memory")) == []
