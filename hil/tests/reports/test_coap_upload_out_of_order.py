"""Does a server refuse the blocks of an upload that do not continue it?

Reports: libcoap #1359 (blocks 10, 0, 10, 10), #1284 (a block shorter than its size).
Rule: RFC 7959, sections 2.2 (only the last block may be shorter) and 2.9.2 (4.08).
"""

from __future__ import annotations

import pytest

from hil.peers.coap import codec
from hil.tests.reports import coap

CLIENT = ("192.0.2.7", 40000)


def upload(mid: int, number: int, size: int, payload: bytes) -> bytes:
    option = coap.block(coap.BLOCK1, number, size, more=True)
    return coap.request(codec.POST, mid, option, payload=payload)


@pytest.mark.parametrize("number", [10, 2, 4095])
def test_block_that_does_not_continue(engine, number) -> None:
    device = engine("proto=coap role=serve topic=a payload_bytes=6")
    device.open()
    codes = []
    for mid, step in enumerate((number, 0, number)):
        device.feed(upload(mid, step, 32, bytes(32)), CLIENT)
        codes.append(device.sent()[0].data[1])
    assert codes == [coap.INCOMPLETE, coap.CONTINUE, coap.INCOMPLETE]
    assert [event.offset for event in device.heard("received")] == [0]


def test_short_block_with_more_to_follow(engine) -> None:
    device = engine("proto=coap role=serve topic=a payload_bytes=6")
    device.open()
    device.feed(upload(1, 0, 1024, b"short"), CLIENT)
    assert device.sent()[0].data[1] == coap.BAD_REQUEST
    assert not device.heard("received")
