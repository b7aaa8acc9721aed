"""Does a device close with the right status for frames that must not come?

Reports: the forms that Autobahn's testsuite and reports of clients (ws, Starscream) have.
Rules: RFC 6455, sections 5.1 to 5.5 (1002) and 8.1 (1007).
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams


@pytest.mark.parametrize(
    ("frames", "status"),
    [
        ("817f0000000000000005" + "61" * 5, 1002),  # a length that fits into seven bits
        ("817f8000000000000000", 1002),
        ("0900", 1002),
        ("818500000000" + "61" * 5, 1002),  # masked by the server
        ("c10161", 1002),
        ("800161", 1002),
        ("010161810162", 1002),
        ("880103", 1002),
        ("897e007e" + "61" * 126, 1002),
        ("0101c3800128", 1007),  # cut by a fragment
        ("8101c3", 1007),
        ("8103eda080", 1007),
        ("880403e8c328", 1007),  # the reason
    ],
)
def test_refused(engine, frames: str, status: int) -> None:
    device = streams.websocket(engine, "role=subscribe")
    device.feed(bytes.fromhex(frames))
    assert streams.websocket_frames(streams.sent(device)) == [(8, status.to_bytes(2, "big"))]


def test_ping_between_fragments(engine) -> None:
    device = streams.websocket(engine, "role=subscribe")
    device.feed(bytes.fromhex("01026162 897d" + "70" * 125 + "800163"))
    assert streams.received(device) == [b"abc"]
    assert [opcode for opcode, _ in streams.websocket_frames(streams.sent(device))] == [10]
