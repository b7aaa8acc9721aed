"""Does an observer of non-confirmable notifications get a confirmable one every 24 hours?

Reports: californium #2129, libcoap #445, contiki-ng #632, openthread #12103.
Rule: RFC 7641, section 4.5 (MUST): it shows whether the observer is still there.
"""

from __future__ import annotations

import pytest

from hil.peers.coap import codec
from hil.tests.reports import coap

CLIENT = ("192.0.2.7", 40000)
HOUR_S = 3600


@pytest.mark.parametrize("hours", [1 / 60, 1, 7, 11, 13, 23, 30])
def test_an_observer_that_is_there(engine, hours) -> None:
    device = engine("proto=coap role=serve topic=a payload_bytes=6 confirmable=0 observe=1")
    device.open()
    device.feed(coap.request(codec.GET, 1, coap.uint(coap.OBSERVE, 0), token=b"w"), CLIENT)
    device.sent()
    confirmed, kinds = 1.0, set()
    for number in range(int(72 / hours)):
        device.wait(hours * HOUR_S)
        assert device.publish(number + 1, 6) == "published"
        (notification,) = device.sent()
        kinds.add(codec.decode(notification.data).kind)
        if codec.decode(notification.data).kind == codec.CON:
            confirmed = notification.time_s
            device.feed(coap.empty(codec.ACK, notification.data), CLIENT)
        assert notification.time_s - confirmed <= 24 * HOUR_S
    assert kinds == ({codec.CON, codec.NON} if hours < 12 else {codec.CON})


def test_an_observer_that_is_gone(engine) -> None:
    device = engine("proto=coap role=serve topic=a payload_bytes=6 confirmable=0 observe=1")
    device.open()
    device.feed(coap.request(codec.GET, 1, coap.uint(coap.OBSERVE, 0), token=b"w"), CLIENT)
    minutes = 0
    while device.publish(minutes + 1, 6) == "published":
        device.wait(60)
        minutes += 1
        assert minutes < 24 * 60
    assert minutes > 12 * 60 - 1
