"""Does a device handle what brokers send rarely, but may send?

Reports: amqplib (long tables), amqplib #15 and #27 (empty bodies), php-amqp (frame-max 0).
Rules: AMQP 0-9-1, sections 2.2.4 (tuning), 4.2.6 (content) and 4.2.7 (heartbeats).
"""

from __future__ import annotations

import struct

from hil.peers.amqp import codec as amqp
from hil.tests.reports import streams


def table(size: int) -> bytes:
    """A table with one long string, of `size` bytes as a whole."""
    return amqp.long(amqp.short("k") + b"S" + amqp.long(b"v" * (size - 11)))


def test_long_tables(engine) -> None:
    start = b"\0\x09" + table(3900) + amqp.long(b"PLAIN") + amqp.long(b"en_US")
    device = engine("proto=amqp queue=q peer=10.0.0.1 role=subscribe")
    device.open()
    device.feed(amqp.method(0, amqp.START, start))
    assert amqp.START_OK in streams.amqp_methods(streams.sent(device)[8:])


def test_long_fields_of_a_content(engine) -> None:
    device = streams.amqp_device(engine, "role=subscribe confirmable=0")
    deliver, _, body = streams.amqp_delivery(1, b"ok")
    header = struct.pack(">HHQH", 60, 0, 2, 0x2000) + table(3000)
    device.feed(deliver + amqp.frame(amqp.CONTENT_HEADER, 1, header) + body)
    assert streams.received(device) == [b"ok"]


def test_bodies(engine) -> None:
    device = streams.amqp_device(engine, "role=subscribe confirmable=0")
    device.feed(b"".join(streams.amqp_delivery(1, b"")))
    deliver, header, _ = streams.amqp_delivery(2, b"abcd")
    parts = b"".join(amqp.frame(amqp.CONTENT_BODY, 1, part) for part in (b"ab", b"", b"cd"))
    device.feed(deliver + header + parts)
    assert streams.received(device) == [b"", b"abcd"]


def test_data_shows_life(engine) -> None:
    device = streams.amqp_device(engine, "role=subscribe keepalive_s=10")
    for tag in range(1, 4):
        device.wait(15)
        device.feed(b"".join(streams.amqp_delivery(tag, b"x")))
    assert not streams.reasons(device)
    device.wait(21)
    assert streams.reasons(device) == ["no_heartbeat"]
