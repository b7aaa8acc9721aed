"""Does an observer stay that acknowledges every notification, but later than the next one is due?

Reports: californium #274, #552; Zephyr #38527.
Rules: RFC 7641, sections 4.5 (removed only without acknowledgement), 4.5.1 (one outstanding
notification) and 4.5.2 (the newest state takes the place of the one under way).
"""

from __future__ import annotations

import itertools

import pytest

from hil.peers.coap import codec
from hil.tests.reports import coap

CLIENT = ("192.0.2.7", 40000)
STEP_S = 0.1


@pytest.mark.parametrize("round_trip_s", [0.15, 0.5, 4.0, 12.0])
def test_observer_stays(engine, round_trip_s) -> None:
    device = engine("proto=coap role=serve topic=a payload_bytes=8 confirmable=1 observe=1")
    device.open()
    device.feed(coap.request(codec.GET, 1, coap.uint(coap.OBSERVE, 0), token=b"w"), CLIENT)
    device.sent()
    waiting, last = [], 0
    for number in range(1, 1201):
        assert device.publish(number, 8) == "published"
        device.wait(STEP_S)
        sent = device.sent()
        assert len(sent) <= 1  # more would be two outstanding at once, or a burst
        waiting += sent
        now = 1 + number * STEP_S
        for datagram in [one for one in waiting if one.time_s + round_trip_s <= now]:
            waiting.remove(datagram)
            device.feed(coap.empty(codec.ACK, datagram.data), CLIENT)
            last = number
    assert last > 1150 - 10 * round_trip_s  # acknowledgements came to the end


def test_superseded_states_are_reported(engine) -> None:
    device = engine("proto=coap role=serve topic=a payload_bytes=8 confirmable=1 observe=1")
    device.open()
    device.feed(coap.request(codec.GET, 1, coap.uint(coap.OBSERVE, 0), token=b"w"), CLIENT)
    device.sent()
    device.publish(1, 8)
    first = device.sent()[0].data
    device.publish(2, 8)
    device.publish(3, 8)
    assert not device.sent()
    device.feed(coap.empty(codec.ACK, first), CLIENT)
    (second,) = device.sent()
    assert b"3" in codec.decode(second.data).payload
    assert [(event.seq, event.reason) for event in device.heard("failed")] == [(2, "superseded")]


def test_the_new_state_takes_the_timer_of_the_old_one(engine) -> None:
    device = engine("proto=coap role=serve topic=a payload_bytes=8 confirmable=1 observe=1")
    device.open()
    device.feed(coap.request(codec.GET, 1, coap.uint(coap.OBSERVE, 0), token=b"w"), CLIENT)
    device.sent()
    numbers = iter(range(1, 10**6))
    while device.publish(next(numbers), 8) == "published":
        device.wait(1)
    sent = device.sent()
    gaps = [after.time_s - before.time_s for before, after in itertools.pairwise(sent)]
    assert len(sent) == 5 and 2 <= gaps[0] <= 3
    assert gaps == pytest.approx([gaps[0] * 2**k for k in range(4)], abs=1e-3)
    assert len({codec.decode(datagram.data).message_id for datagram in sent}) == 5
