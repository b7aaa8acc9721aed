"""Does a client ignore a copy of the response to an earlier block?

Reports: libcoap #270, #271.
Rules: RFC 7252, sections 4.5 (a copy is processed once) and 5.3.1 (tokens); RFC 7959, section 2.
"""

from __future__ import annotations

import pytest

from hil.peers.coap import codec
from hil.tests.reports import coap


@pytest.mark.parametrize("kind", [codec.NON, codec.CON])
def test_upload(engine, kind) -> None:
    device = engine("proto=coap role=publish topic=a block_bytes=16")
    device.open()
    device.publish(1, 48)
    copies, request = [], device.sent()[0].data
    for number in range(3):
        device.feed(coap.empty(codec.ACK, request))
        taken = coap.block(coap.BLOCK1, number, 16, more=number < 2)
        code = coap.CONTINUE if number < 2 else coap.CHANGED
        copies.append(coap.answer(request, code, taken, kind=kind, mid=0x5000 + number))
        device.feed(copies[-1])
        if number < 2:
            assert not device.heard("acked")
            request = next(sent.data for sent in device.sent() if sent.data[1])
            assert coap.value(request, coap.BLOCK1) >> 4 == number + 1
        for copy in copies:
            device.feed(copy)
        assert all(sent.data[:2] == b"\x60\0" for sent in device.sent())  # copies of CON: ACK
    assert [event.seq for event in device.heard("acked")] == [1]


def test_download(engine) -> None:
    device = engine("proto=coap role=subscribe observe=0 topic=a block_bytes=16")
    device.open()
    device.publish(1, 4)
    request = device.sent()[0].data
    block = coap.block(coap.BLOCK2, 0, 16, more=True)
    first = coap.answer(request, coap.CONTENT, block, kind=codec.NON, mid=0x5000, payload=bytes(16))
    device.feed(first)
    following = device.sent()[0].data
    device.feed(first)
    assert not device.sent() and not device.heard("failed")
    device.feed(coap.answer(following, coap.CONTENT, coap.block(coap.BLOCK2, 1, 16), payload=b"z"))
    assert [event.offset for event in device.heard("received")] == [0, 16]
    assert device.heard("acked")


def test_a_message_id_is_free_again_after_its_lifetime(engine) -> None:
    """A server that answers rarely, or that restarted, uses a message ID again (section 4.4)."""
    device = engine("proto=coap role=subscribe observe=0 topic=a")
    device.open()
    for seq in range(1, 4):
        device.publish(seq, 4)
        request = device.sent()[0].data
        device.feed(coap.empty(codec.ACK, request))
        response = coap.answer(request, coap.CONTENT, kind=codec.CON, mid=7, payload=b"hi")
        device.feed(response)
        assert [sent.data for sent in device.sent()] == [coap.empty(codec.ACK, response)]
        assert len(device.heard("acked")) == seq
        device.wait(300 if seq == 1 else 5)
