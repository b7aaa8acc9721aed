"""Does a device start anew on its next connection, and ping while it only receives?

Reports: espMqttClient #30, coreMQTT #7, pubsubclient #795 (a ping that was open when the connection
was lost), paho.c #1277, Sming #550 and MQTT.js #1861 (no PINGREQ while messages come).
Rules: MQTT 3.1.1, sections 3.1.2.10, 3.2.2, 4.3 and 4.4.
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams

PINGREQ, PINGRESP = b"\xc0\x00", b"\xd0\x00"
SUBACK = bytes.fromhex("9003000100")


def test_ping_that_was_open(engine) -> None:
    device = streams.mqtt_subscriber(engine, "qos=0 keepalive_s=20")
    device.wait(16)
    assert streams.sent(device) == PINGREQ
    device.close()
    device.wait(30)
    device.open()
    device.feed(streams.CONNACK + bytes.fromhex("9003000200"))
    assert not streams.reasons(device)
    device.sent()
    device.wait(15.1)
    assert streams.sent(device) == PINGREQ
    device.feed(PINGRESP)
    device.wait(14)
    assert not streams.reasons(device)


def test_ping_while_messages_come(engine) -> None:
    device = streams.mqtt_subscriber(engine, "qos=0 keepalive_s=20")
    for _ in range(600):
        device.wait(0.1)
        device.feed(streams.mqtt_publish(b"t"))
    assert streams.sent(device).count(PINGREQ) == 4  # each 15 s, for 60 s


def test_everything_in_single_bytes(engine) -> None:
    device = engine("proto=mqtt role=subscribe topic=t qos=1")
    device.open()
    data = streams.CONNACK + SUBACK + PINGRESP + streams.mqtt_publish(b"t", b"hello", qos=1) * 2
    for byte in data:
        device.feed(bytes([byte]))
    assert streams.received(device) == [b"hello", b"hello"] and not streams.reasons(device)


@pytest.mark.parametrize("code", [1, 2, 3, 4, 5, 6, 255])
def test_refused(engine, code: int) -> None:
    device = engine("proto=mqtt role=subscribe topic=t")
    device.open()
    device.feed(bytes([0x20, 2, 0, code]))
    assert streams.reasons(device) == ["connection_refused"]


def test_session_that_outlived_the_memory_of_the_device(engine) -> None:
    device = engine("proto=mqtt role=subscribe topic=t qos=2 clean=0")
    device.open()
    device.feed(streams.RESUMED + streams.mqtt_publish(b"t", b"held", qos=1))
    device.feed(bytes.fromhex("62020007"))  # PUBREL of what was received before it slept
    assert b"\x82" in streams.sent(device)  # SUBSCRIBE
    device.feed(SUBACK)
    assert streams.received(device) == [b"held"] and not streams.reasons(device)


def test_acknowledgements_of_nothing(engine) -> None:
    device = engine("proto=mqtt role=publish topic=t qos=2")
    device.open()
    device.feed(streams.CONNACK)
    device.sent()
    device.feed(bytes.fromhex("40020009 70020009 50020009 d000"))
    assert streams.sent(device) == bytes.fromhex("62020009")
    assert device.publish(1, 5) == "published" and not streams.reasons(device)


def test_retained_message_without_payload(engine) -> None:
    device = streams.mqtt_subscriber(engine, "qos=0")
    device.feed(bytes.fromhex("3103000174"))
    assert streams.received(device) == [b""]
