"""Does a device read AMQP in any pieces, and end as the broker says?

Reports: cloudamqp/amqp-client.js #31 (frames read at a wrong offset), aioamqp #108 (a heartbeat
while closing), ruby-amqp #84 (any frame shows life), streadway/amqp #199 (confirms after the end),
rabbitmq-erlang-client #112 (heartbeat 0).
Rules: AMQP 0-9-1, sections 2.2.4, 2.2.5, 4.2.3, 4.2.6 and 4.2.7.
"""

from __future__ import annotations

import struct

from hil.peers.amqp import codec as amqp
from hil.tests.reports import streams

_CLOSE, _CLOSE_OK, _CHANNEL_CLOSE_OK, _ACK = (10, 50), (10, 51), (20, 41), (60, 80)
_HEARTBEAT = amqp.frame(8, 0, b"")


def closing(channel: int, name: tuple[int, int], code: int) -> bytes:
    """Close of a connection or a channel, with a text."""
    return amqp.method(channel, name, struct.pack(">H", code) + amqp.short("why") + bytes(4))


def confirm(tag: int, multiple: int = 0) -> bytes:
    return amqp.method(1, _ACK, struct.pack(">QB", tag, multiple))


def test_single_bytes(engine) -> None:
    device = streams.amqp_device(engine, "role=subscribe confirmable=1")
    data = b"".join(streams.amqp_delivery(1, b"hello")) + _HEARTBEAT
    for byte in data + b"".join(streams.amqp_delivery(2, b"x" * 4000)):
        device.feed(bytes([byte]))
    assert streams.received(device) == [b"hello", b"x" * 4000]
    assert streams.amqp_methods(streams.sent(device)) == [_ACK, _ACK]


def test_channel_error_while_messages_are_open(engine) -> None:
    device = streams.amqp_device(engine, "")
    for seq in range(1, 4):
        device.publish(seq, 10)
    device.sent()
    device.feed(confirm(1) + closing(1, (20, 40), 404) + confirm(2) + _HEARTBEAT)
    assert streams.amqp_methods(streams.sent(device)) == [_CHANNEL_CLOSE_OK, _CLOSE]
    device.feed(amqp.method(0, _CLOSE_OK, b""))
    device.close()
    assert [event.seq for event in device.heard("acked")] == [1]
    assert [event.seq for event in device.heard("failed")] == [2, 3]


def test_connection_error(engine) -> None:
    device = streams.amqp_device(engine, "")
    device.publish(1, 10)
    device.sent()
    device.feed(closing(0, _CLOSE, 320) + confirm(1))
    assert streams.amqp_methods(streams.sent(device)) == [_CLOSE_OK]
    assert streams.reasons(device) == ["closed_by_server"] and not device.heard("acked")


def test_confirms_out_of_order_and_twice(engine) -> None:
    device = streams.amqp_device(engine, "")
    for seq in range(1, 6):
        device.publish(seq, 10)
    device.feed(confirm(3) + confirm(3) + confirm(2, 1) + confirm(99) + confirm(5, 1))
    assert [event.seq for event in device.heard("acked")] == [3, 1, 2, 4, 5]
    assert not streams.reasons(device)


def test_heartbeat_0_of_the_broker(engine) -> None:
    opening = list(streams.AMQP_OPENING)
    opening[1] = amqp.method(0, amqp.TUNE, struct.pack(">HIH", 0, 0, 0))
    device = streams.amqp_device(engine, "keepalive_s=0", opening)
    device.wait(10_000)
    assert not streams.sent(device) and not streams.reasons(device)


def test_finish_while_messages_come(engine) -> None:
    device = streams.amqp_device(engine, "role=subscribe confirmable=1")
    device.finish()
    device.feed(b"".join(streams.amqp_delivery(1, b"late")) + _HEARTBEAT)
    assert streams.amqp_methods(streams.sent(device)) == [_CLOSE]
    device.feed(amqp.method(0, _CLOSE_OK, b""))
    assert streams.reasons(device) == ["finished"]
