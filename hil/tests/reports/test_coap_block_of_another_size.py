"""Which bytes does a block number mean when the two ends want blocks of different sizes?

Reports: libcoap #1294, go-coap #394.
Rule: RFC 7959, sections 2.2 to 2.4: it counts blocks of the size that stands beside it.
"""

from __future__ import annotations

import pytest

from hil.peers.coap import codec
from hil.tests.reports import coap

CLIENT = ("192.0.2.7", 40000)
ALL = 3000


@pytest.mark.parametrize("size", [16, 64, 128, 1024])
@pytest.mark.parametrize("offset", [0, 1024, 2048])
def test_server_that_prefers_64(engine, size, offset) -> None:
    device = engine(f"proto=coap role=serve topic=a payload_bytes={ALL} block_bytes=64")
    device.open()
    device.feed(coap.request(codec.GET, 1), CLIENT)
    number, step = offset // size, min(size, 64)
    device.feed(coap.request(codec.GET, 2, coap.block(coap.BLOCK2, number, size)), CLIENT)
    answer = device.sent()[-1].data
    assert answer[1] == coap.CONTENT and len(codec.decode(answer).payload) == step
    expected = coap.block(coap.BLOCK2, offset // step, step, more=True)
    assert coap.value(answer, coap.BLOCK2) == int.from_bytes(expected[1], "big")


@pytest.mark.parametrize(("number", "size"), [(3, 1024), (2**20 - 1, 1024), (2**20 - 1, 16)])
def test_server_behind_the_end(engine, number, size) -> None:
    device = engine(f"proto=coap role=serve topic=a payload_bytes={ALL} block_bytes=64")
    device.open()
    device.feed(coap.request(codec.GET, 1), CLIENT)
    device.feed(coap.request(codec.GET, 2, coap.block(coap.BLOCK2, number, size)), CLIENT)
    assert device.sent()[-1].data[1] >> 5 == 4


def test_client_whose_server_halves_the_blocks(engine) -> None:
    device = engine("proto=coap role=subscribe observe=0 topic=a block_bytes=64")
    device.open()
    device.publish(1, 4)
    payload, offset = bytes(range(200)), 0
    for size, count in ((64, 1), (32, 2), (16, 5)):  # 64, 32, 32, then 16 each
        for _ in range(count):
            request = device.sent()[0].data
            piece = payload[offset : offset + size]
            block = coap.block(coap.BLOCK2, offset // size, size, offset + size < len(payload))
            device.feed(coap.answer(request, coap.CONTENT, block, payload=piece))
            offset += size
    assert b"".join(event.data for event in device.heard("received")) == payload[:offset]
    assert not device.heard("failed")


def test_client_that_gets_other_bytes(engine) -> None:
    device = engine("proto=coap role=subscribe observe=0 topic=a block_bytes=64")
    device.open()
    device.publish(1, 4)
    first = coap.block(coap.BLOCK2, 0, 64, more=True)
    device.feed(coap.answer(device.sent()[0].data, coap.CONTENT, first, payload=bytes(64)))
    wrong = coap.block(coap.BLOCK2, 1, 16, more=True)  # bytes 16 to 31, and 64 on were wanted
    device.feed(coap.answer(device.sent()[0].data, coap.CONTENT, wrong, payload=bytes(16)))
    assert [event.reason for event in device.heard("failed")] == ["block_order"]


@pytest.mark.parametrize(("etag", "reason"), [(b"v1", []), (b"v2", ["block_order"]), (b"", [])])
def test_representation_that_changes_between_blocks(engine, etag, reason) -> None:
    """Section 2.4: the ETags of blocks that are put together MUST be compared."""
    device = engine("proto=coap role=subscribe observe=0 topic=a block_bytes=16")
    device.open()
    device.publish(1, 4)
    options = (coap.ETAG, b"v1"), coap.block(coap.BLOCK2, 0, 16, more=True)
    device.feed(coap.answer(device.sent()[0].data, coap.CONTENT, *options, payload=bytes(16)))
    options = ((coap.ETAG, etag),) * bool(etag) + (coap.block(coap.BLOCK2, 1, 16),)
    device.feed(coap.answer(device.sent()[0].data, coap.CONTENT, *options, payload=b"end"))
    assert [event.reason for event in device.heard("failed")] == reason
