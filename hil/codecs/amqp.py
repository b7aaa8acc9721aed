"""AMQP 0-9-1 as far as a consumer of one queue needs it (specification, sections 2.3 and 4.2)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

HEADER = b"AMQP\0\0\x09\x01"
METHOD, CONTENT_HEADER, CONTENT_BODY = 1, 2, 3
_END = 0xCE

# (class, method)
START, START_OK, TUNE, TUNE_OK = (10, 10), (10, 11), (10, 30), (10, 31)
OPEN, OPEN_OK = (10, 40), (10, 41)
CHANNEL_OPEN, CHANNEL_OPEN_OK = (20, 10), (20, 11)
DECLARE, DECLARE_OK = (50, 10), (50, 11)
CONSUME, CONSUME_OK = (60, 20), (60, 21)
DELIVER = (60, 60)


class Malformed(ValueError):
    """These bytes are no AMQP frame."""


def short(text: str) -> bytes:
    """A short string."""
    raw = text.encode()
    return bytes([len(raw)]) + raw


def long(raw: bytes) -> bytes:
    """A long string."""
    return struct.pack(">I", len(raw)) + raw


def method(channel: int, name: tuple[int, int], arguments: bytes) -> bytes:
    """A method frame."""
    payload = struct.pack(">HH", *name) + arguments
    return struct.pack(">BHI", METHOD, channel, len(payload)) + payload + bytes([_END])


def frames(buffer: bytes) -> Iterator[tuple[int, int, bytes]]:
    """(type, end offset, payload) of every whole frame at the start of `buffer`.

    Raises:
        Malformed: a frame does not end as it must.
    """
    at = 0
    while at + 8 <= len(buffer):
        kind, _, size = struct.unpack_from(">BHI", buffer, at)
        end = at + 8 + size
        if end > len(buffer):
            return
        if buffer[end - 1] != _END:
            raise Malformed(f"the frame at byte {at} has no end")
        yield kind, end, buffer[at + 7 : end - 1]
        at = end


def name_of(payload: bytes) -> tuple[int, int]:
    """Class and method of a method frame's payload."""
    found = struct.unpack_from(">HH", payload)
    return found[0], found[1]


def deliveries(chunks: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """(arrival in ns, body) of every delivered message in a stream of stamped chunks.

    A message has the stamp of the chunk that completes it.
    """
    found: list[tuple[int, bytes]] = []
    buffer, body, left = b"", b"", 0
    for stamp, chunk in chunks:
        buffer += chunk
        done = 0
        for kind, end, payload in frames(buffer):
            done = end
            if kind == CONTENT_HEADER:
                (left,) = struct.unpack_from(">Q", payload, 4)
                body = b""
                if left == 0:
                    found.append((stamp, b""))
            elif kind == CONTENT_BODY:
                body += payload
                left -= len(payload)
                if left == 0:
                    found.append((stamp, body))
        buffer = buffer[done:]
    return found
