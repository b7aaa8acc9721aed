"""Which trials may ask their network for an address, a name and the time, and with which image?"""

from __future__ import annotations

import pytest

from hil.base.errors import InputError
from hil.design import board_rules, parameters
from hil.design.facts import Facts
from hil.testbeds import runner

PLAIN = {
    "mode": "mqtt-qos1",
    "link": "netem",
    "messages": 3,
    "interval_ms": 1000,
    "payload_bytes": 30,
}
SLEEPER = {"deep_sleep": True, "connection_messages": 1}


def facts(**given: object) -> Facts:
    chosen = PLAIN | given
    protocol = str(chosen["mode"]).partition("-")[0]
    return Facts.of(parameters.effective({"protocol": protocol} | chosen, "test"))


@pytest.mark.parametrize(
    "given",
    [
        {"address_assignment": "dhcp"},
        {"name_resolution": "dns"},
        {"clock_sync": "sntp"},
        SLEEPER | {"address_assignment": "cached"},
        {"clock_sync": "sntp", "security": "chain"},
    ],
)
def test_what_is_asked_for_needs_the_image_that_can_ask(given: dict[str, object]) -> None:
    board_rules.check(facts(**given), "lx106", "test")
    assert runner.firmware("lx106", facts(**given)).name == "thinwire-dhcp.elf"


def test_others_keep_their_image() -> None:
    assert runner.firmware("lx106", facts()).name == "thinwire.elf"
    assert runner.firmware("lx106", facts(**SLEEPER)).name == "thinwire-secure.elf"


@pytest.mark.parametrize(
    ("board", "given", "said"),
    [
        ("zephyr", {}, "address_assignment: does not apply to the board zephyr"),
        (
            "lx106",
            {"address_assignment": "cached"},
            "address_assignment: 'cached' is for a board that wakes",
        ),
        ("lx106", {"devices": 2}, "address_assignment: is for a single device"),
        ("lx106", {"mode": "mqtt5-qos1"}, "does not go with MQTT 5, which has another image"),
        ("lx106", {"library": "lwipmqtt"}, "does not go with library lwipmqtt"),
        (
            "lx106",
            {"security": "chain", "tls_version": "1.3"},
            "does not go with tls_version 1.3, which has another image",
        ),
    ],
)
def test_other_boards_and_images_cannot_ask(
    board: str, given: dict[str, object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        board_rules.check(facts(**{"address_assignment": "dhcp"} | given), board, "test")
