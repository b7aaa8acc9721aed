"""When do servers restart and links fail, and are inconsistent designs refused?"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from hil.base.errors import InputError
from hil.design import rules
from hil.design.facts import Facts
from hil.design.interruptions import Interruption
from hil.design.parameters import effective
from hil.design.trials import label
from hil.rig.schedule import Schedule

DAY = effective(
    {
        "protocol": "mqtt",
        "payload_bytes": 30,
        "interval_ms": 1000,
        "link": "netem",
        "duration_s": 86400,
        "server_restart_s": 3600,
        "server_down_s": 10,
        "outage_every_s": 1200,
        "outage_s": 60,
    },
    "a day",
)


def facts(**change: Any) -> Facts:
    return Facts.of(DAY | change)


def test_a_day_has_a_restart_an_hour_and_three_outages() -> None:
    assert len(facts().restarts) == 24
    assert len(facts().outages) == 72


def test_no_restart_meets_an_outage() -> None:
    both = facts().restarts + facts().outages
    both.sort(key=lambda one: one.begin_s)
    assert all(one.end_s < other.begin_s for one, other in itertools.pairwise(both))


@pytest.mark.parametrize(("duration_s", "count"), [(719, 0), (720, 1), (1919, 1), (1920, 2)])
def test_an_outage_leaves_a_minute_to_recover(duration_s: int, count: int) -> None:
    assert len(facts(duration_s=duration_s).outages) == count


def test_messages_bound_the_time_too() -> None:
    assert facts(messages=720).outages == [Interruption(600, 660)]


def test_without_periods_nothing_happens() -> None:
    periods = ("server_restart_s", "server_down_s", "outage_every_s", "outage_s")
    calm = facts(**dict.fromkeys(periods, 0))
    assert calm.restarts == calm.outages == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"outage_s": 1200}, "outage_s: 1200 s is not shorter than outage_every_s, 1200 s"),
        ({"server_down_s": 7200}, "server_down_s: 7200 s is not shorter than server_restart_s"),
        ({"outage_every_s": 0}, "outage_every_s: is missing or 0, but outage_s is not"),
        ({"server_down_s": 0}, "server_down_s: is missing or 0, but server_restart_s is not"),
        ({"protocol": "amqp"}, "clean_session: the queue of a clean session does not survive"),
    ],
)
def test_a_design_that_makes_no_sense_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        rules.check(facts(**change), "study.yaml")
    assert words in str(caught.value) and caught.value.status == 2


CALM = {
    key: value for key, value in DAY.items() if not key.endswith(("_every_s", "_restart_s"))
} | {"server_down_s": 0, "outage_s": 0, "duration_s": 30}


def test_stated_interruptions_happen_when_they_are_stated() -> None:
    given = {"restart_spans_s": [[10, 15]], "outage_spans_s": [[1, 2.5], [20, 29.5]]}
    stated = Facts.of(effective(CALM | given, "a trial"))
    assert stated.restarts == [Interruption(10, 15)]
    assert stated.outages == [Interruption(1, 2.5), Interruption(20, 29.5)]


def test_a_name_of_spans_has_no_brackets() -> None:
    assert label("outage_spans_s", [[1, 2.5], [20, 29]]) == "outage_spans-1-2.5-20-29"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"outage_spans_s": [[5, 5]]}, "outage_spans_s: [5, 5] ends before it begins"),
        ({"outage_spans_s": [[1, 5], [4, 6]]}, "[4, 6] begins before the one before it ends, 5 s"),
        ({"restart_spans_s": [[10, 30]]}, "restart_spans_s: [10, 30] ends after the device, 30 s"),
        (
            {"restart_spans_s": [[1, 2]], "server_restart_s": 20, "server_down_s": 1},
            "restart_spans_s: is given, and server_restart_s, too",
        ),
        ({"outage_spans_s": [[1, 2, 3]]}, "outage_spans_s.0: [1, 2, 3]"),
        ({"outage_spans_s": [[-1, 2]]}, "outage_spans_s.0.0: -1 is out of range"),
    ],
)
def test_spans_that_make_no_sense_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        effective(CALM | change, "a trial")
    assert words in str(caught.value) and caught.value.status == 2


def test_the_schedule_keeps_its_order_and_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    schedule, now_s = Schedule(), [7.0]
    monkeypatch.setattr("hil.rig.schedule.time.monotonic", lambda: now_s[0])
    schedule.add(7.05, lambda: done.append("second"))
    schedule.add(7.0, lambda: done.append("first"))
    schedule.do_due()
    assert done == ["first"] and schedule.wait_s(0.01) == 0.01
    assert schedule.wait_s(1.0) == pytest.approx(0.05)
    now_s[0] = 7.06
    assert schedule.wait_s(1.0) == 0.0
    schedule.do_due()
    assert done == ["first", "second"]
