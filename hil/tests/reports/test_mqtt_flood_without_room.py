"""Does a device take a flood of messages while its own output does not leave?

Reports: paho.mqtt.c #1131 (an acknowledgement that cannot be written ended the connection),
async-mqtt-client #64 (several long messages at once).
Rules: MQTT 3.1.1, sections 3.1.2.10 and 4.6: acknowledgements in the order of the messages.
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams

PUBACK, PUBREC, PUBCOMP = 0x40, 0x50, 0x70


def acknowledged(data: bytes, kind: int) -> list[int]:
    """The identifiers in the acknowledgements of one kind."""
    packets = [data[at : at + 4] for at in range(0, len(data), 4)]
    return [int.from_bytes(packet[2:]) for packet in packets if packet[0] == kind]


@pytest.mark.parametrize("step", [1, 3, 250])
def test_flood(engine, step: int) -> None:
    device = streams.mqtt_subscriber(engine)
    identifiers = [1 + i * step % 65535 for i in range(1000)]
    for packet_id in identifiers:
        device.feed(streams.mqtt_publish(b"t", qos=1, packet_id=packet_id))
    assert len(streams.received(device)) == 1000 and not streams.reasons(device)
    assert acknowledged(streams.sent(device), PUBACK) == identifiers


def test_flood_of_both_qualities_behind_a_long_message(engine) -> None:
    device = streams.mqtt_subscriber(engine, "qos=2 publish_ms=1000")
    assert device.publish(1, 16000) == "published"
    for packet_id in range(1, 601):
        device.feed(streams.mqtt_publish(b"t", qos=1 + packet_id % 2, packet_id=packet_id))
        if packet_id % 2:
            device.feed(bytes([0x62, 2]) + packet_id.to_bytes(2))
        device.wait(0.01, room=10)
    data = streams.sent(device)
    assert not streams.reasons(device)
    tail = data[len(data) % 4 :]
    assert acknowledged(tail, PUBACK)[-1] == 600
    assert acknowledged(tail, PUBREC)[-1] == acknowledged(tail, PUBCOMP)[-1] == 599


def test_pingreq_leaves_when_there_is_room(engine) -> None:
    device = streams.mqtt_subscriber(engine, "qos=1 keepalive_s=10")
    for packet_id in range(1, 1001):
        device.feed(streams.mqtt_publish(b"t", qos=1, packet_id=packet_id))
    device.wait(9, room=0)
    assert not streams.reasons(device)
    assert streams.sent(device).count(b"\xc0\x00") == 1
