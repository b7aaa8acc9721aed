"""Do the groups of a trial's devices get parameters of their own, and are bad ones refused?"""

from __future__ import annotations

from typing import Any

import pytest

from hil.base.errors import InputError
from hil.design import board_rules, fleet
from hil.design.facts import Facts
from hil.design.parameters import effective, of_groups
from hil.design.trials import Trial
from hil.testbeds import runner

GIVEN: dict[str, Any] = {
    "mode": "mqtt-qos1",
    "payload_bytes": 30,
    "interval_ms": 400,
    "duration_s": 5,
    "link": "air",
}
COAP = {"devices": 2, "mode": "coap-con", "start_s": 2, "start_spread_s": 0}
SLEEPER = {"devices": 1, "deep_sleep": True, "connection_messages": 1}


def parameters(*groups: dict[str, Any], **more: Any) -> dict[str, Any]:
    return effective(GIVEN | {"groups": list(groups)} | more, "test")


def test_the_devices_are_those_of_all_groups_and_stay_so_when_read_again() -> None:
    found = parameters({"devices": 3}, COAP)
    assert found["devices"] == 5
    assert effective(found, "test") == found


def test_a_group_of_another_protocol_has_its_parameters_and_not_the_trials() -> None:
    mine, others = of_groups(parameters({"devices": 3}, COAP, keepalive_s=30), "test")
    assert (mine["qos"], mine["keepalive_s"]) == (1, 30)
    assert others["confirmable"] is True and others["interval_ms"] == 400
    assert not {"qos", "keepalive_s", "clean_session"} & set(others)


def test_each_device_has_the_facts_of_its_group() -> None:
    facts = Facts.of(parameters({"devices": 2, "interval_ms": 900}, COAP))
    each = fleet.each_device(facts)
    assert [own.protocol for own in each] == ["mqtt", "mqtt", "coap", "coap"]
    assert [own.interval_ms for own in each] == [900, 900, 400, 400]
    assert list(facts.by_server) == [own.server.name for own in each[::2]]


def test_a_group_starts_at_its_time_within_its_spread() -> None:
    facts = Facts.of(parameters({"devices": 50}, COAP))
    starts = fleet.starts_ns(facts, 7)
    assert starts[50:] == [2_000_000_000] * 2
    assert len(set(starts[:50])) == 50 and max(starts[:50]) <= 400e6
    assert facts.spread_s == 2


def test_one_group_of_all_starts_as_the_devices_without_groups_do() -> None:
    alone = effective(GIVEN | {"devices": 9}, "test")
    grouped = parameters({"devices": 9})
    assert fleet.starts_ns(Facts.of(grouped), 7) == fleet.starts_ns(Facts.of(alone), 7)


def test_the_longest_interval_decides_how_long_counted_messages_last() -> None:
    given = GIVEN | {"groups": [{"devices": 1}, {"devices": 1, "interval_ms": 5000}]}
    del given["duration_s"]
    assert Facts.of(effective(given | {"messages": 10}, "test")).counted_s == 50


def test_all_devices_run_the_image_that_sleeps_deeply_if_one_does() -> None:
    awake, asleep = parameters({"devices": 2}), parameters({"devices": 2}, SLEEPER)
    assert runner.firmware("lx106", Facts.of(awake)).name == "thinwire.elf"
    assert runner.firmware("lx106", Facts.of(asleep)).name == "thinwire-secure.elf"


@pytest.mark.parametrize(
    ("groups", "more", "text"),
    [
        ([{"devices": 2}], {"devices": 3}, "groups: have 2 devices, but devices is 3"),
        ([{}], {}, r"groups.0: 'devices' is missing"),
        ([{"devices": 1, "colour": "red"}], {}, "unknown key 'colour'"),
        ([{"devices": 1, "mode": "amqp-plain"}], {}, "do not run in one machine"),
        ([{"devices": 1, "mode": "mqtt5-qos0"}, {"devices": 1}], {}, "do not run in one machine"),
        ([{"devices": 600}, {"devices": 600}], {}, "1200"),
        ([{"devices": 1, "payload_bytes": 9}], {}, r"groups.0: payload_bytes: 9 bytes are too few"),
        (
            [{"devices": 2}, {"devices": 1, "snr_db": 20}],
            {"link": "netem"},
            r"groups.1: snr_db: does not apply to link netem",
        ),
        (
            [{"devices": 1, "sleep_idle_ms": 10}],
            {"role": "subscribe"},
            "groups: does not apply to role subscribe",
        ),
        ([{"devices": 2}], {"faults": [{"kind": "loss", "at_s": 1}]}, "does not go with faults"),
        (
            [{"devices": 1}, COAP],
            {"server_restart_s": 100, "server_down_s": 5},
            "server_restart_s need one server",
        ),
    ],
)
def test_groups_that_cannot_be_are_refused(
    groups: list[dict[str, Any]], more: dict[str, Any], text: str
) -> None:
    with pytest.raises(InputError, match=text):
        parameters(*groups, **more)


def test_a_groups_parameters_are_checked_against_the_board() -> None:
    keeps = {"devices": 1, "deep_sleep": True}
    with pytest.raises(InputError, match="keeps its connection does not sleep"):
        board_rules.check(Facts.of(parameters({"devices": 1}, keeps)), "lx106", "test")


def test_a_trials_name_has_its_groups() -> None:
    groups = [{"devices": 2}, COAP]
    trial = Trial("study", {"groups": groups}, 1, parameters(*groups))
    assert trial.id == "groups_devices2_devices2-coap-con-start2-start_spread0_r1"
