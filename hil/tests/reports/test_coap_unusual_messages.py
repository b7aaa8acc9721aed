"""Do client and server take or refuse CoAP messages that others send or got wrong?

Reports: zephyr #119911 (observer with an empty token), RIOT #18773 and libcoap #1307 (separate
responses and their copies), libcoap #2151 (a response to a server), go-coap #664 (options twice),
CoAPthon #33 (an empty acknowledgement with a token).
Rules: RFC 7252, sections 3, 4.1, 4.2, 5.2.2, 5.3.1 and 5.4; RFC 7641, section 4.1.
"""

from __future__ import annotations

import pytest

from hil.peers.coap import codec
from hil.tests.reports import coap

GET = 1
BAD_OPTION = 0x82
IF_MATCH, URI_HOST, IF_NONE_MATCH, URI_PORT, HOP_LIMIT, ECHO, NO_RESPONSE = 1, 3, 5, 7, 16, 252, 258
PEER = ("10.0.0.9", 5683)


def serving(engine, words: str = ""):
    device = engine(f"proto=coap role=serve topic=a payload_bytes=6 {words}")
    device.open()
    return device


def asked(device, data: bytes) -> list[codec.Message]:
    """What a serving device answers."""
    device.feed(data, PEER)
    return [codec.decode(sent.data) for sent in device.sent()]


@pytest.mark.parametrize(
    ("option", "code"),
    [
        ((IF_MATCH, b""), BAD_OPTION),
        ((IF_NONE_MATCH, b""), BAD_OPTION),
        ((URI_HOST, b"board"), coap.CONTENT),
        ((URI_PORT, b"\x16\x33"), coap.CONTENT),
        ((HOP_LIMIT, b"\x05"), coap.CONTENT),
        ((ECHO, b"12345678"), coap.CONTENT),
        ((NO_RESPONSE, b""), coap.CONTENT),
    ],
)
def test_options_of_a_request(engine, option: coap.Option, code: int) -> None:
    (answer,) = asked(serving(engine), coap.request(GET, 1, option))
    assert answer.code == code


def test_observer_with_an_empty_token(engine) -> None:
    device = serving(engine, "interval_ms=1000 confirmable=0")
    (answer,) = asked(device, coap.request(GET, 1, (coap.OBSERVE, b"")))
    assert coap.OBSERVE in dict(answer.options) and answer.token == b""


def test_response_to_a_server(engine) -> None:
    device = serving(engine)
    data = codec.encode(codec.Message(codec.CON, coap.CONTENT, 7, b"t"))
    (answer,) = asked(device, data)
    assert (answer.kind, answer.message_id) == (codec.RST, 7)
    assert not asked(device, codec.encode(codec.Message(codec.NON, coap.CONTENT, 8, b"t")))


@pytest.mark.parametrize("length", range(9, 16))
def test_reserved_token_lengths(engine, length: int) -> None:
    device = serving(engine)
    data = bytes([0x40 | length, GET, 0, 1]) + bytes(length)
    (answer,) = asked(device, data)
    assert answer.kind == codec.RST
    assert not asked(device, bytes([0x50 | length]) + data[1:])


def client(engine, words: str = "", size: int = 8):
    device = engine(f"proto=coap role=publish topic=a peer=10.0.0.1 confirmable=1 {words}")
    device.open()
    device.publish(1, size)
    return device, device.sent()[0].data


def test_separate_response_and_its_copies(engine) -> None:
    device, request = client(engine)
    device.feed(coap.empty(codec.ACK, request))
    response = coap.answer(request, coap.CHANGED, kind=codec.CON, mid=999)
    for _ in range(3):
        device.feed(response)
    kinds = [codec.decode(sent.data) for sent in device.sent()]
    assert [(m.kind, m.message_id) for m in kinds] == [(codec.ACK, 999)] * 3
    assert len(device.heard("acked")) == 1


def test_response_without_the_acknowledgement(engine) -> None:
    device, request = client(engine)
    device.feed(coap.answer(request, coap.CHANGED, kind=codec.NON, mid=999))
    device.wait(100)
    assert not device.sent() and device.heard("acked") and not device.heard("failed")


def test_empty_acknowledgement_with_a_token(engine) -> None:
    device, request = client(engine)
    token = codec.decode(request).token
    device.feed(bytes([0x60 | len(token), 0]) + request[2:4] + token)
    device.feed(coap.answer(request, coap.CHANGED, kind=codec.CON, mid=999))
    assert device.heard("acked")


def test_block_option_twice(engine) -> None:
    device, request = client(engine)
    twice = [coap.block(coap.BLOCK2, 0, 16), coap.block(coap.BLOCK2, 0, 16)]
    device.feed(coap.answer(request, coap.CHANGED, *twice, kind=codec.CON, mid=5, payload=b"x"))
    (answer,) = [codec.decode(sent.data) for sent in device.sent()]
    assert answer.kind == codec.RST and device.heard("failed")
