"""Does a device go on when its broker cancels a consumer, runs short of memory or reads nothing?

Reports: streadway/amqp #134 and aiormq #116 (Basic.Cancel), AMQP-CPP #443 and amqplib #33
(Connection.Blocked), paho.mqtt.c #1131 (acknowledgements with no room left to send).
Rules: AMQP 0-9-1, sections 3.1.8 and 4.2.7; RabbitMQ's consumer cancellation and blocking.
"""

from __future__ import annotations

import struct

import pytest

from hil.peers.amqp import codec as amqp
from hil.tests.reports import streams

_CANCEL, _CANCEL_OK, _CLOSE, _CLOSE_OK = (60, 30), (60, 31), (10, 50), (10, 51)
_ACK, _BLOCKED, _UNBLOCKED = (60, 80), (10, 60), (10, 61)


@pytest.mark.parametrize(("no_wait", "answers"), [(1, [_CLOSE]), (0, [_CANCEL_OK, _CLOSE])])
def test_cancelled_consumer(engine, no_wait: int, answers: list) -> None:
    device = streams.amqp_device(engine, "role=subscribe confirmable=0")
    device.feed(amqp.method(1, _CANCEL, amqp.short("tw") + bytes([no_wait])))
    assert streams.amqp_methods(streams.sent(device)) == answers
    device.feed(b"".join(streams.amqp_delivery(1, b"late")) + amqp.method(0, _CLOSE_OK, b""))
    assert streams.reasons(device) == ["finished"]


def test_blocked_while_opening_and_later(engine) -> None:
    blocked = amqp.method(0, _BLOCKED, amqp.short("low on memory"))
    device = streams.amqp_device(engine, "", [*streams.AMQP_OPENING, blocked])
    assert device.publish(1, 10) == "busy"
    device.feed(amqp.method(0, _UNBLOCKED, b""))
    assert device.publish(1, 10) == "published"
    device.feed(blocked + blocked)
    assert device.publish(2, 10) == "busy" and not streams.reasons(device)


def test_deliveries_to_a_device_that_cannot_send(engine) -> None:
    device = streams.amqp_device(engine, "role=subscribe confirmable=1")
    for tag in range(1, 1001):
        device.feed(b"".join(streams.amqp_delivery(tag, b"x")))
    assert len(streams.received(device)) == 1000 and not streams.reasons(device)
    acknowledged = 0
    for kind, _, payload in amqp.frames(streams.sent(device)):
        if kind == amqp.METHOD and amqp.name_of(payload) == _ACK:
            tag, multiple = struct.unpack(">QB", payload[4:])
            assert tag == acknowledged + 1 or (multiple and tag > acknowledged)
            acknowledged = tag
    assert acknowledged == 1000


def test_hours_without_room_for_a_heartbeat(engine) -> None:
    device = streams.amqp_device(engine, "keepalive_s=10")
    while device.publish(1, 1000) == "published":
        pass
    for _ in range(1000):
        device.wait(9, room=0)
        device.feed(amqp.frame(8, 0, b""))
    assert not streams.reasons(device)
