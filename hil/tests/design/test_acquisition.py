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


CHIP = SLEEPER | {"link": "air", "join": "cached", "wifi_security": "wpa2-psk"}


@pytest.mark.parametrize(
    ("given", "image"),
    [
        ({}, "nodemcuv2.bin"),
        ({"address_assignment": "dhcp", "name_resolution": "dns"}, "nodemcuv2.bin"),
        ({"security": "chain", "clock_sync": "sntp"}, "nodemcuv2_secure.bin"),
        ({"security": "chain", "tls_version": "1.3"}, "nodemcuv2_tls13.bin"),
    ],
)
def test_the_chip_sleeps_and_asks_with_its_usual_images(
    given: dict[str, object], image: str
) -> None:
    board_rules.check(facts(**CHIP | given), "esp8266", "test")
    assert runner.firmware("esp8266", facts(**CHIP | given)).name == image


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"address_assignment": "cached"}, "address_assignment: 'cached': the chip's SDK"),
        ({"mode": "mqtt5-qos1"}, "deep_sleep: does not go with MQTT 5 on the board esp8266"),
        ({"mode": "oscore-con"}, "deep_sleep: does not go with OSCORE on the board esp8266"),
        ({"library": "pubsubclient", "mode": "mqtt-qos0"}, "does not go with library pubsubclient"),
        ({"deep_sleep": False}, "join: 'cached' is for a chip that wakes"),
    ],
)
def test_the_chip_has_its_limits(given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        board_rules.check(facts(**CHIP | given), "esp8266", "test")
