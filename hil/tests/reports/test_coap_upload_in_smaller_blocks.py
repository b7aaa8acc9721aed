"""Does a client go on in smaller blocks when the server asks for them?

Reports: Zephyr, libcoap, Leshan and OpenThread try again; a 4.13 ended Thinwire's upload.
Rules: RFC 7959, sections 2.3 (SHOULD, at any block) and 2.9.3 (4.13 names the size).
"""

from __future__ import annotations

import pytest

from hil.tests.reports import coap


def numbers(request: bytes) -> tuple[int, int]:
    """Number and size of the block in a request."""
    value = coap.value(request, coap.BLOCK1)
    assert value is not None
    return value >> 4, 16 << (value & 7)


@pytest.mark.parametrize("words", ["block_bytes=128", "block_bytes=0"])
@pytest.mark.parametrize("before", [0, 1])
def test_entity_too_large(engine, words, before) -> None:
    device = engine(f"proto=coap role=publish topic=a {words}")
    device.open()
    device.publish(1, 300)
    request = device.sent()[0].data
    for number in range(before if words.endswith("128") else 0):
        device.feed(coap.answer(request, coap.CONTINUE, coap.block(coap.BLOCK1, number, 128, True)))
        request = device.sent()[0].data
    device.feed(coap.answer(request, coap.TOO_LARGE, coap.block(coap.BLOCK1, 0, 64)))
    for number in range(5):
        request = device.sent()[0].data
        assert numbers(request) == (number, 64)
        code = coap.CONTINUE if number < 4 else coap.CHANGED
        device.feed(coap.answer(request, code, coap.block(coap.BLOCK1, number, 64, number < 4)))
    assert device.heard("acked") and not device.heard("failed")


@pytest.mark.parametrize("hint", [[], [(0, 128)], [(0, 256)]])
def test_entity_too_large_at_any_size(engine, hint) -> None:
    device = engine("proto=coap role=publish topic=a block_bytes=128")
    device.open()
    device.publish(1, 300)
    options = [coap.block(coap.BLOCK1, *values) for values in hint]
    device.feed(coap.answer(device.sent()[0].data, coap.TOO_LARGE, *options))
    assert [event.reason for event in device.heard("failed")] == ["refused"]


def test_reduction_in_the_middle(engine) -> None:
    device = engine("proto=coap role=publish topic=a block_bytes=128")
    device.open()
    device.publish(1, 300)
    seen = []
    for size in (128, 64, 64):
        request = device.sent()[0].data
        number, _ = numbers(request)
        seen.append(numbers(request))
        device.feed(coap.answer(request, coap.CONTINUE, coap.block(coap.BLOCK1, number, size)))
    assert seen == [(0, 128), (1, 128), (4, 64)]
