"""Does a device wait for an answer that is delayed by a long message before it or its request?

Reports: paho.mqtt.java #135, paho.mqtt.python #914 and #923, paho.mqtt.c #1384 (PINGRESP behind a
message of 2 MB at 25 kB/s).
Rules: MQTT 3.1.1, section 3.1.2.10 ("a reasonable amount of time"); RFC 6455, section 5.5.3;
RFC 9112, section 9.5; AMQP 0-9-1, section 4.2.7 (any octets are a sign of life).
"""

from __future__ import annotations

from hil.peers.amqp import codec as amqp
from hil.tests.reports import streams

_SECONDS, _A_SECOND = 80, 25_000


def arrives(device, head: bytes, behind: bytes = b"") -> None:
    device.feed(head)
    for _ in range(_SECONDS):
        device.feed(b"x" * _A_SECOND)
        device.wait(1)
    device.feed(behind)
    assert not device.heard("error")
    assert [len(message) for message in streams.received(device)][-1:] == [_SECONDS * _A_SECOND]


def test_pingresp(engine) -> None:
    device = streams.mqtt_subscriber(engine, "qos=0 keepalive_s=60")
    device.wait(20)
    whole = streams.mqtt_publish(b"t", b"x" * _SECONDS * _A_SECOND)
    arrives(device, whole[: -_SECONDS * _A_SECOND], b"\xd0\0")
    assert b"\xc0\0" in streams.sent(device)
    device.wait(60)
    assert streams.reasons(device) == ["no_pingresp"]  # the one that did not come


def test_pingresp_in_a_kept_session(engine) -> None:
    device = streams.mqtt_subscriber(engine, "qos=1 clean=0 keepalive_s=60")
    device.close()
    device.open()
    device.feed(streams.RESUMED)
    whole = streams.mqtt_publish(b"t", b"x" * _SECONDS * _A_SECOND, qos=1, packet_id=7)
    arrives(device, whole[: -_SECONDS * _A_SECOND], b"\xd0\0")
    assert b"\x40\2\0\7" in streams.sent(device)  # once acknowledged, it does not come again


def test_pong(engine) -> None:
    device = streams.websocket(engine, "role=subscribe keepalive_s=15")
    device.wait(15)
    size = _SECONDS * _A_SECOND
    arrives(device, b"\x81\x7f" + size.to_bytes(8, "big"), b"\x8a\0")


def test_amqp(engine) -> None:
    device = streams.amqp_device(engine, "role=subscribe confirmable=0 keepalive_s=5")
    deliver, header, _ = streams.amqp_delivery(1, b"x" * _SECONDS * _A_SECOND)
    device.feed(deliver + header)
    body = amqp.frame(amqp.CONTENT_BODY, 1, b"x" * 2500)
    for _ in range(_SECONDS):
        device.feed(body * (_A_SECOND // 2500))
        device.wait(1)
    assert not device.heard("error") and len(streams.received(device)) == 1


def test_http_answer(engine) -> None:
    device = engine("proto=http role=subscribe topic=a peer=10.0.0.1")
    device.open()
    device.publish(1, 8)
    device.sent()
    arrives(device, f"HTTP/1.1 200 OK\r\nContent-Length: {_SECONDS * _A_SECOND}\r\n\r\n".encode())
    assert device.heard("acked")


def leaves(device) -> bytes:
    """What leaves at 200 bytes a second for a minute."""
    data = b""
    for _ in range(60):
        data += b"".join(piece.data for piece in device.sent(room=200))
        device.wait(1, room=0)
    return data


def test_slow_uplink_of_mqtt(engine) -> None:
    device = engine("proto=mqtt role=publish qos=0 topic=t keepalive_s=20")
    device.open()
    device.feed(streams.CONNACK)
    device.sent()
    device.publish(1, 12_000)
    assert len(leaves(device)) == 60 * 200  # PINGREQ has waited for 45 s behind it
    assert not device.heard("error")


def test_slow_uplink_of_a_websocket(engine) -> None:
    device = streams.websocket(engine, "role=publish confirmable=1 keepalive_s=0")
    device.publish(1, 12_000)
    assert len(leaves(device)) == 60 * 200
    assert not device.heard("error")


def test_slow_uplink_of_http(engine) -> None:
    device = engine("proto=http role=publish topic=a peer=10.0.0.1")
    device.open()
    device.publish(1, 12_000)
    assert len(leaves(device)) == 60 * 200
    assert not device.heard("error")
