"""Does an observer follow a server that restarted and counts its notifications anew?

Reports: californium #552; libcoap #1012, #1019.
Rule: RFC 7641, sections 3.3.1 and 3.4: the response to a registration is no older than the request.
"""

from __future__ import annotations

from collections.abc import Callable

from hil.peers.coap import codec
from hil.tests.reports import coap
from hil.tests.reports.driver import Device


def registered_again(engine: Callable[[str], Device]) -> tuple[Device, bytes]:
    """An observer that heard number 5000 and registers again now; its registration."""
    device = engine("proto=coap role=subscribe observe=1 topic=a")
    device.open()
    first = device.sent()[0].data
    device.feed(coap.answer(first, coap.CONTENT, coap.uint(coap.OBSERVE, 5000), payload=b"old"))
    device.wait(80)
    return device, device.sent()[0].data


def note(registration: bytes, number: int, kind: int = codec.NON, mid: int = 0x7777) -> bytes:
    text, observe = str(number).encode(), coap.uint(coap.OBSERVE, number)
    return coap.answer(registration, coap.CONTENT, observe, kind=kind, mid=mid, payload=text)


def payloads(device: Device) -> list[bytes]:
    return [event.data for event in device.heard("received")]


def test_piggybacked_response(engine) -> None:
    device, registration = registered_again(engine)
    answer = coap.answer(registration, coap.CONTENT, coap.uint(coap.OBSERVE, 2), payload=b"2")
    device.feed(answer)
    device.feed(note(registration, 3))
    device.feed(note(registration, 1, mid=0x7778))  # older than the response: dropped
    assert payloads(device) == [b"old", b"2", b"3"]


def test_separate_response(engine) -> None:
    device, registration = registered_again(engine)
    device.feed(coap.empty(codec.ACK, registration))
    device.feed(note(registration, 2, codec.CON))
    device.feed(note(registration, 3, mid=0x7778))
    assert payloads(device) == [b"old", b"2", b"3"]


def test_late_notification_is_not_the_response(engine) -> None:
    device, registration = registered_again(engine)
    device.feed(note(registration, 4999))  # a late one, from before the registration
    device.feed(note(registration, 5001, mid=0x7778))
    assert payloads(device) == [b"old", b"5001"]
    device.wait(15)
    assert device.sent()[-1].data == registration  # still unacknowledged: repeated
    device.feed(coap.empty(codec.ACK, registration))
    device.wait(65)
    assert not device.heard("error")
    device.feed(note(registration, 5002, mid=0x7779))
    assert payloads(device)[-1] == b"5002"


def test_notification_while_it_cancels(engine) -> None:
    device, registration = registered_again(engine)
    device.feed(note(registration, 5001))
    device.feed(coap.empty(codec.ACK, registration))
    device.finish()
    cancel = device.sent()[0].data
    assert coap.value(cancel, coap.OBSERVE) == 1
    device.feed(note(registration, 5002, codec.CON, 0x7778))
    assert device.sent()[0].data == bytes.fromhex("70007778")  # rejected: it ends the observation
    device.wait(3.5)
    assert device.sent()[0].data == cancel  # the notification was not its answer
