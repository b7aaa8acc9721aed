"""Does a server refuse the blocks of an upload that do not continue it?

Reports: libcoap #1359 (blocks 10, 0, 10, 10), #1284 (a block shorter than its size).
Rule: RFC 7959, sections 2.2 (only the last block may be shorter) and 2.9.2 (4.08).
"""

from __future__ import annotations

import pytest

CLIENT = ("192.0.2.7", 40000)
INCOMPLETE, CONTINUE, BAD_REQUEST = 0x88, 0x5F, 0x80


def block(mid: int, number: int, szx: int, payload: bytes) -> bytes:
    """A confirmable POST to /a of one block, with more to follow."""
    value = (number << 4 | 8 | szx).to_bytes(2 if number > 15 else 1, "big")
    option = b"\xb1a" + bytes([0xD0 + len(value), 27 - 11 - 13]) + value
    return b"\x41\x03" + mid.to_bytes(2, "big") + b"w" + option + b"\xff" + payload


@pytest.mark.parametrize("number", [10, 2, 4095])
def test_block_that_does_not_continue(engine, number) -> None:
    device = engine("proto=coap role=serve topic=a payload_bytes=6")
    device.open()
    codes = []
    for mid, step in enumerate((number, 0, number)):
        device.feed(block(mid, step, 1, bytes(32)), CLIENT)
        codes.append(device.sent()[0].data[1])
    assert codes == [INCOMPLETE, CONTINUE, INCOMPLETE]
    assert [event.offset for event in device.heard("received")] == [0]


def test_short_block_with_more_to_follow(engine) -> None:
    device = engine("proto=coap role=serve topic=a payload_bytes=6")
    device.open()
    device.feed(block(1, 0, 6, b"short"), CLIENT)
    assert device.sent()[0].data[1] == BAD_REQUEST
    assert not device.heard("received")
