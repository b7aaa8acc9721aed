"""Can a trial have several devices, and does each have a seed and a start of its own?"""

from __future__ import annotations

from typing import Any

import pytest

from hil.base.errors import InputError
from hil.design import addressing, board_rules, fleet
from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.design.payload import message, payload

GIVEN = {"mode": "mqtt-qos1", "payload_bytes": 30, "interval_ms": 400, "duration_s": 5}


def parameters(**more: Any) -> dict[str, Any]:
    return effective(GIVEN | {"link": "netem", "devices": 5} | more, "test")


def test_a_trial_of_one_device_states_nothing_new() -> None:
    found = effective(GIVEN | {"link": "netem"}, "test")
    assert not {"devices", "start_spread_s"} & set(found)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"devices": 1001}, "1000"),
        ({"devices": 201, "mode": "oscore-con"}, "devices: of OSCORE may be 200"),
        ({"devices": 0}, "1"),
        ({"role": "subscribe"}, "role subscribe"),
        ({"clients": 3}, "does not go with clients"),
        ({"pace": "answer", "clients": 1}, "does not go with"),
        ({"faults": [{"kind": "loss", "at_s": 1}]}, "does not go with faults"),
        ({"nat_timeout_s": 30}, "does not go with nat_timeout_s"),
        ({"payload_bytes": 9}, "9 bytes are too few"),
        ({"devices": 1, "start_spread_s": 1}, "needs several devices"),
    ],
)
def test_what_is_made_for_one_device_is_refused(more: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        parameters(**more)


def test_several_devices_are_of_the_board_that_starts_at_a_stated_time() -> None:
    facts = Facts.of(parameters())
    board_rules.check(facts, "lx106", "test")
    with pytest.raises(InputError, match="devices: does not apply to the board esp8266"):
        board_rules.check(facts, "esp8266", "test")


def test_every_device_has_names_and_addresses_of_its_own() -> None:
    numbers = range(1, addressing.DEVICES_MAX + 1)
    for of in (addressing.device_id, addressing.device_mac, addressing.device_ip):
        assert len({of(number) for number in numbers}) == addressing.DEVICES_MAX
    first = (addressing.device_id(1), addressing.device_mac(1), addressing.device_ip(1))
    assert first == (addressing.BOARD_ID, addressing.BOARD_MAC, addressing.BOARD_IP)
    assert addressing.SERVER_IP not in {addressing.device_ip(number) for number in numbers}


def test_a_payload_says_which_device_sent_it() -> None:
    for name, size in (("b200", 30), ("b1000", 10)):
        assert message(payload(name, 17, 2_000_000, size)) == (name, 17)
    assert [addressing.is_further(name) for name in ("b1", "b2", "b150", "c002", "bx", "b")] == [
        False, True, True, False, False, False,
    ]  # fmt: skip


def test_seeds_differ_and_the_first_is_the_trials_own() -> None:
    seeds = [fleet.seed(7, number) for number in range(1, addressing.DEVICES_MAX + 1)]
    assert (
        seeds[0] == 7
        and len(set(seeds)) == addressing.DEVICES_MAX
        and all(0 < s < 1 << 32 for s in seeds)
    )
    assert fleet.seed(0, 1) == 1


def test_a_storm_starts_in_one_moment() -> None:
    assert fleet.starts_ns(Facts.of(parameters(start_spread_s=0)), 7) == [0] * 5


def test_starts_are_spread_over_an_interval_by_the_seed() -> None:
    facts = Facts.of(parameters(devices=150))
    starts = fleet.starts_ns(facts, 7)
    assert starts == fleet.starts_ns(facts, 7) != fleet.starts_ns(facts, 8)
    assert len(set(starts)) == 150 and 0 <= min(starts) < 40e6 and 360e6 < max(starts) <= 400e6
    assert max(fleet.starts_ns(Facts.of(parameters(start_spread_s=2.5)), 7)) > 400e6
