"""What if the broker closes, or begins anew, between a content header and its body?

Reports: rabbitmq-server #11208, #11210.
Rules: AMQP 0-9-1, section 4.2.6: a method ends the content before it, channels do not disturb each
other; sections 2.2.4 and 2.2.5: a close is answered.
"""

from __future__ import annotations

import struct

import pytest

from hil.peers.amqp import codec as amqp
from hil.tests.reports import streams

_REASON = struct.pack(">H", 320) + amqp.short("CONNECTION_FORCED") + bytes(4)


def within_content(engine, frames: int = 2):
    device = streams.amqp_device(engine, "role=subscribe confirmable=0")
    for frame in streams.amqp_delivery(1, b"lost")[:frames]:
        device.feed(frame)
    return device


@pytest.mark.parametrize("frames", [1, 2])
@pytest.mark.parametrize(
    ("channel", "close", "answer"),
    [(0, amqp.CLOSE, amqp.CLOSE_OK), (1, (20, 40), (20, 41))],
)
def test_close(engine, frames: int, channel: int, close, answer) -> None:
    device = within_content(engine, frames)
    device.feed(amqp.method(channel, close, _REASON))
    assert streams.amqp_methods(streams.sent(device))[0] == answer
    assert "unexpected_content" not in streams.reasons(device)


@pytest.mark.parametrize("frames", [1, 2])
def test_next_message(engine, frames: int) -> None:
    device = within_content(engine, frames)
    device.feed(b"".join(streams.amqp_delivery(2, b"next")))
    assert streams.received(device) == [b"next"] and not streams.reasons(device)


def test_heartbeat(engine) -> None:
    device = within_content(engine)
    device.feed(amqp.frame(8, 0, b"") + streams.amqp_delivery(1, b"lost")[2])
    assert streams.received(device) == [b"lost"]


@pytest.mark.parametrize(("channel", "kind"), [(0, 3), (2, 3), (1, 8), (0, 2)])
def test_wrong_channel(engine, channel: int, kind: int) -> None:
    device = within_content(engine)
    device.feed(amqp.frame(kind, channel, b"lost" if kind != 8 else b""))
    assert streams.reasons(device) == ["wrong_channel"]
