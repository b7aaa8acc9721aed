"""Does a device read what a server sends, wherever TCP cuts it and however it is framed?

Reports: bun #42511 (a Close in two segments), netty #14118 (a Close within a message), bun #33727
(fields of the answer), uWebSockets.js #708 (an empty subprotocol), tinymux #792, ballerina #12695.
Rules: RFC 6455, sections 4.1, 5.2, 5.4, 5.5, 7.1.5 and 8.1.
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams

_ANSWER = b"HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: @\r\n"
_TEXT, _BINARY, _PART, _CLOSE = 1, 2, 0, 8
ANSWERS = {  # and whether they are taken
    "list": (b"Connection: keep-alive, Upgrade\r\n\r\n", True),
    "two fields": (b"Connection: keep-alive\r\nconnection: UPGRADE\r\n\r\n", True),
    "word within another": (b"Connection: Upgraded\r\n\r\n", False),
    "subprotocol that nobody asked for": (
        b"Connection: Upgrade\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n",
        False,
    ),
    "empty subprotocol": (b"Connection: Upgrade\r\nSec-WebSocket-Protocol:\r\n\r\n", True),
    "length of nothing": (b"Connection: Upgrade\r\nContent-Length: 0\r\n\r\n", True),
    "frame behind it": (b"Connection: Upgrade\r\n\r\n\x81\x02hi", True),
}
BAD_TEXT = ["c080", "eda080", "f4908080", "ff", "e282", "f0808080"]


def frame(opcode: int, data: bytes = b"", last: bool = True) -> bytes:
    """A frame of a server."""
    size = len(data)
    head = bytes([opcode | last << 7, size if size < 126 else 126 if size < 65536 else 127])
    wide = b"" if size < 126 else size.to_bytes(2 if size < 65536 else 8)
    return head + wide + data


@pytest.mark.parametrize(("fields", "taken"), ANSWERS.values(), ids=ANSWERS)
def test_answer(engine, fields: bytes, taken: bool) -> None:
    device = streams.websocket(engine, "role=subscribe", _ANSWER + fields)
    assert bool(device.heard("connected")) == taken
    assert streams.received(device) == ([b"hi"] if b"hi" in fields else [])


@pytest.mark.parametrize("cut", range(1, 7))
def test_close_in_two_segments(engine, cut: int) -> None:
    device = streams.websocket(engine)
    close = frame(_CLOSE, b"\x0f\xa0bye")
    device.feed(close[:cut])
    device.feed(close[cut:])
    assert streams.websocket_frames(streams.sent(device)) == [(_CLOSE, b"\x0f\xa0")]


def test_close_within_a_message(engine) -> None:
    device = streams.websocket(engine, "role=subscribe")
    device.feed(frame(_TEXT, b"\xe2\x82", last=False) + frame(_CLOSE, b"\x03\xe8"))
    assert streams.websocket_frames(streams.sent(device)) == [(_CLOSE, b"\x03\xe8")]
    device.feed(frame(_PART, b"\xac"))
    assert streams.reasons(device) == ["closed_by_peer"] and not streams.received(device)


@pytest.mark.parametrize("size", [0, 125, 126, 65535, 65536, 70000])
def test_lengths(engine, size: int) -> None:
    device = streams.websocket(engine, "role=subscribe")
    data = frame(_BINARY, b"\xff" * size)
    for at in range(0, len(data), 1000):
        device.feed(data[at : at + 1000])
    assert streams.received(device) == [b"\xff" * size]


@pytest.mark.parametrize("head", ["817f8000000000000001", "81fe0001", "89fe007e", "c100", "8700"])
def test_impossible_frames(engine, head: str) -> None:
    device = streams.websocket(engine, "role=subscribe")
    device.feed(bytes.fromhex(head))
    assert streams.websocket_frames(streams.sent(device)) == [(_CLOSE, b"\x03\xea")]


def test_text_cut_within_characters(engine) -> None:
    device = streams.websocket(engine, "role=subscribe")
    text = "aß€\U0001f321".encode()
    device.feed(frame(_TEXT, b"", last=False))
    for at in range(len(text)):
        device.feed(
            frame(_PART, text[at : at + 1], last=False) + frame(9) + frame(_PART, b"", False)
        )
    device.feed(frame(_PART))
    assert streams.received(device) == [text] and not streams.reasons(device)


@pytest.mark.parametrize("text", BAD_TEXT)
def test_bad_text(engine, text: str) -> None:
    device = streams.websocket(engine, "role=subscribe")
    for byte in bytes.fromhex(text):
        device.feed(frame(_PART if byte != bytes.fromhex(text)[0] else _TEXT, bytes([byte]), False))
    device.feed(frame(_PART))
    assert streams.websocket_frames(streams.sent(device)) == [(_CLOSE, b"\x03\xef")]
