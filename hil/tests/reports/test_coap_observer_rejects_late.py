"""Does a Reset end an observation when newer notifications have left meanwhile?

Reports: libcoap #331, #340; aiocoap #416, #385; californium #274.
Rule: RFC 7641, sections 3.6 and 4.2: the rejection of any notification removes the observer.
"""

from __future__ import annotations

import pytest

from hil.peers.coap import codec
from hil.tests.reports import coap

CLIENT = ("192.0.2.7", 40000)
REGISTRATION = coap.request(codec.GET, 1, coap.uint(coap.OBSERVE, 0), token=b"w")


@pytest.mark.parametrize("lag", [0, 1, 5, 35])
def test_reset_of_an_older_notification(engine, lag) -> None:
    device = engine("proto=coap role=serve topic=a payload_bytes=6 confirmable=0 observe=1")
    device.open()
    device.feed(REGISTRATION, CLIENT)
    device.sent()
    notifications = []
    for number in range(40):
        assert device.publish(number + 1, 6) == "published"
        notifications += device.sent()
        device.feed(coap.request(codec.GET, 100 + number), ("192.0.2.8", 40000))
        device.sent()  # the answers to others use message IDs, too
        device.wait(0.1)
    device.feed(coap.empty(codec.RST, notifications[-1 - lag].data), CLIENT)
    assert device.publish(41, 6) == "unwanted"


@pytest.mark.parametrize("words", ["", " separate_ms=50"])
@pytest.mark.parametrize("kind", [codec.NON, codec.CON])
def test_reset_of_the_response_to_the_registration(engine, words, kind) -> None:
    device = engine(f"proto=coap role=serve topic=a payload_bytes=6 observe=1{words}")
    device.open()
    registration = (coap.uint(coap.OBSERVE, 0),)
    device.feed(coap.request(codec.GET, 1, *registration, kind=kind, token=b"w"), CLIENT)
    device.wait(0.1)
    response = device.sent()[-1].data
    device.feed(coap.empty(codec.RST, response), CLIENT)
    rejected = codec.decode(response).kind != codec.ACK
    assert device.publish(1, 6) == ("unwanted" if rejected else "published")


@pytest.mark.parametrize("reset", ["another message", "another client"])
def test_other_resets_end_nothing(engine, reset) -> None:
    device = engine("proto=coap role=serve topic=a payload_bytes=6 confirmable=0 observe=1")
    device.open()
    device.feed(REGISTRATION, CLIENT)
    device.sent()
    device.publish(1, 6)
    notification = device.sent()[0].data
    if reset == "another client":
        device.feed(coap.empty(codec.RST, notification), ("192.0.2.7", 40001))
    else:  # a response that is no notification, between two notifications
        device.feed(coap.request(codec.GET, 2, kind=codec.NON), CLIENT)
        response = device.sent()[0].data
        device.publish(2, 6)
        device.feed(coap.empty(codec.RST, response), CLIENT)
    assert device.publish(3, 6) == "published"


def test_the_older_of_two_observations_is_the_forgotten_one(engine) -> None:
    device = engine("proto=coap role=serve topic=a payload_bytes=6 confirmable=0 observe=1")
    device.open()
    device.feed(REGISTRATION, CLIENT)
    device.publish(1, 6)
    stale = [sent for sent in device.sent() if sent.data[0] == 0x51]
    again = coap.request(codec.GET, 9, coap.uint(coap.OBSERVE, 0), token=b"x")
    device.feed(again, CLIENT)  # the client restarted, and has another token
    device.publish(2, 6)
    device.sent()
    device.feed(coap.empty(codec.RST, stale[0].data), CLIENT)
    device.publish(3, 6)
    assert [codec.decode(sent.data).token for sent in device.sent()] == [b"x"]
