"""Does a device answer packets of a broker that repeats them?

Reports: mosquitto #3599, #3602, aedes #137, paho.mqtt.c #1114, paho.mqtt.java #27.
Rules: MQTT 3.1.1, sections 2.2.3 (lengths), 4.3.2 and 4.3.3 (acknowledgements).
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams


def test_qos2_copies(engine) -> None:
    device = streams.mqtt_subscriber(engine)
    for flags in (0x34, 0x3C, 0x34):
        device.feed(bytes([flags]) + bytes.fromhex("0600017400 0161"))
        assert streams.sent(device) == bytes.fromhex("50020001")
    assert streams.received(device) == [b"a"]
    for _ in range(2):
        device.feed(bytes.fromhex("62020001"))
        assert streams.sent(device) == bytes.fromhex("70020001")


def test_unknown_pubrec(engine) -> None:
    device = engine("proto=mqtt role=publish qos=2 topic=t")
    device.open()
    device.feed(streams.CONNACK)
    device.sent()
    device.feed(bytes.fromhex("50020777"))
    assert streams.sent(device) == bytes.fromhex("62020777")


def test_message_before_suback(engine) -> None:
    device = engine("proto=mqtt role=subscribe qos=0 topic=t")
    device.open()
    device.feed(streams.CONNACK + bytes.fromhex("3003000174") + bytes.fromhex("9003000100"))
    assert streams.received(device) == [b""] and device.heard("connected")


@pytest.mark.parametrize(
    ("packet", "taken"),
    [("3083808000000174", True), ("308080808001", False), ("30ffffffff", False)],
)
def test_length(engine, packet: str, taken: bool) -> None:
    device = streams.mqtt_subscriber(engine)
    device.feed(bytes.fromhex(packet))
    assert streams.received(device) == ([b""] if taken else [])
    assert streams.reasons(device) == ([] if taken else ["malformed_packet"])
