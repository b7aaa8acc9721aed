"""Does the generator of `thinwire hunt` make every kind of fault, valid, in time and repeatably?"""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from hil.base.errors import InputError
from hil.base.schema import schema
from hil.design import faultlist, schedules
from hil.design.parameters import effective
from hil.design.schedules import Schedule, Space

GIVEN = {
    "mode": "mqtt-qos1",
    "link": "netem",
    "payload_bytes": 30,
    "interval_ms": 500,
    "duration_s": 30,
}
PACKETS = {("PUBLISH", "device"): 40, ("PUBACK", "server"): 40, ("CONNECT", "device"): 1}


def valid(schedule: Schedule) -> bool:
    try:
        effective({**GIVEN, "faults": schedule}, "test")
    except InputError:
        return False
    return True


@pytest.fixture(scope="module")
def space() -> Space:
    return Space(20.0, PACKETS, valid).possible()


@pytest.fixture(scope="module")
def sequence(space: Space) -> list[Schedule]:
    pool: list[Schedule] = []
    found = []
    for number in range(300):
        schedule = space.schedule(7, number, pool, set())
        assert schedule is not None
        found.append(schedule)
        pool = found[:20]
    return found


def test_each_kind_of_fault_is_searched(space: Space, sequence: list[Schedule]) -> None:
    assert {fault["kind"] for schedule in sequence for fault in schedule} == set(space.kinds)
    assert set(faultlist.ON_THE_WIRE) | set(faultlist.AT_THE_SERVER) <= set(space.kinds)


def test_the_first_schedules_are_each_kind_alone_as_long_as_may_be(space: Space) -> None:
    first = [space.schedule(7, number, [], set()) for number in range(len(space.kinds))]
    assert [[fault["kind"] for fault in found or ()] for found in first] == [
        [kind] for kind in space.kinds
    ]
    longest = {"kind": "link_down", "at_s": 5, "for_s": 8}
    assert first[space.kinds.index("link_down")] == [longest]  # 40 s would not be over in time
    assert longest["for_s"] < max(value for value in space.values["for_s"] if value)


def test_then_what_ends_a_connection_meets_what_keeps_answers_away(space: Space) -> None:
    known = [
        [ends, away]
        for both in space.together
        for ends in both["first"]
        for away in both["then"]
        if {ends, away} <= set(space.kinds)
    ]
    numbers = range(len(space.kinds), len(space.kinds) + len(known))
    pairs = [space.schedule(7, number, [], set()) or [] for number in numbers]
    assert [[fault["kind"] for fault in pair] for pair in pairs] == known
    assert pairs[0] == [
        {"kind": "tcp_reset", "at_s": 5},
        {"kind": "loss", "at_s": 5, "for_s": 8},
    ]


def test_pairs_of_a_kind_that_the_trial_cannot_have_are_left_out() -> None:
    kinds = tuple(kind for kind in faultlist.KINDS if kind != "loss")
    space = Space(20.0, PACKETS, valid, kinds).possible()
    pair = space.schedule(7, len(space.kinds), [], set()) or []
    assert [fault["kind"] for fault in pair] == ["tcp_reset", "link_down"]


def test_each_kind_of_the_pairs_is_one() -> None:
    for both in schedules.settings()["together"]:
        assert set(both["first"]) | set(both["then"]) <= set(faultlist.KINDS)


def test_schedules_are_valid_and_over_in_time(space: Space, sequence: list[Schedule]) -> None:
    for schedule in sequence:
        assert valid(schedule), schedule
        assert 1 <= len(schedule) <= space.most
        assert all(f.get("at_s", 0) + f.get("for_s", 0) <= 20 for f in schedule), schedule
        assert sum(f["kind"] in faultlist.AT_THE_SERVER for f in schedule) <= 1, schedule


def test_a_fault_at_a_late_packet_has_no_time_to_last(space: Space) -> None:
    late = {"packet": "PUBLISH", "from": "device", "number": 39}
    assert not space.fits([{"kind": "link_down", "at": late, "for_s": 8}])
    assert space.fits([{"kind": "link_down", "at": late | {"number": 9}, "for_s": 8}])
    assert space.fits([{"kind": "loss", "at": late}])
    again = {"packet": "CONNECT", "from": "device", "number": 2}
    assert space.fits([{"kind": "link_down", "at": again, "for_s": 8}])


def test_a_schedule_depends_on_seed_number_and_pool_alone(
    space: Space, sequence: list[Schedule]
) -> None:
    assert space.schedule(7, 299, sequence[:20], set()) == sequence[299]
    assert space.schedule(8, 299, sequence[:20], set()) != sequence[299]


def test_a_schedule_that_was_tried_is_not_made_again(space: Space) -> None:
    first = space.schedule(1, 0, [], set())
    assert first is not None
    assert space.schedule(1, 0, [], {schedules.digest(first)}) != first


def test_faults_begin_at_times_and_at_packets_that_were_seen(sequence: list[Schedule]) -> None:
    faults = [fault for schedule in sequence for fault in schedule]
    packets = [fault["at"] for fault in faults if "at" in fault]
    assert len(packets) > 50 and len(faults) - len(packets) > 50
    for packet in packets:
        assert 1 <= packet["number"] <= PACKETS[packet["packet"], packet["from"]] + 1


def test_each_listed_value_fits_the_schema_of_faults() -> None:
    rules = schema("parameters")["$defs"]
    every = {**rules["fault"]["properties"]["at"]["properties"], **rules["fault"]["properties"]}
    for key, values in schedules.settings()["values"].items():
        rule: dict[str, Any] = every[key] if "$ref" not in every[key] else rules["side"]
        for value in values:
            if value is not None:
                jsonschema.validate(value, rule)


def test_a_key_that_is_not_listed_has_values_of_its_range() -> None:
    assert schedules._of_range({"enum": ["a", "b"]}) == ["a", "b"]
    assert schedules._of_range({"type": "boolean"}) == [None, True]
    assert schedules._of_range({"type": "integer", "minimum": 5, "maximum": 200}) == [5, 10, 100]


def test_a_trial_without_room_for_a_fault_is_bad_input() -> None:
    with pytest.raises(InputError, match="no kind of fault fits"):
        Space(20.0, PACKETS, lambda _: False).possible()
