"""The part of AMQP 0-9-1 that a client of one queue needs (specification, sections 2.3, 4.2)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

HEADER = b"AMQP\0\0\x09\x01"
METHOD, CONTENT_HEADER, CONTENT_BODY = 1, 2, 3
_END = 0xCE

# (class, method)
START, START_OK, TUNE, TUNE_OK = (10, 10), (10, 11), (10, 30), (10, 31)
OPEN, OPEN_OK = (10, 40), (10, 41)
CLOSE, CLOSE_OK = (10, 50), (10, 51)
CHANNEL_OPEN, CHANNEL_OPEN_OK = (20, 10), (20, 11)
CHANNEL_CLOSE, CHANNEL_CLOSE_OK = (20, 40), (20, 41)
DECLARE, DECLARE_OK = (50, 10), (50, 11)
DELETE, DELETE_OK = (50, 40), (50, 41)
CONSUME, CONSUME_OK = (60, 20), (60, 21)
PUBLISH, DELIVER, ACK, NACK = (60, 40), (60, 60), (60, 80), (60, 120)
CONFIRM_SELECT, CONFIRM_SELECT_OK = (85, 10), (85, 11)  # RabbitMQ's extension


class Malformed(ValueError):
    """These bytes are no AMQP frame."""


def short(text: str) -> bytes:
    """Encode a short string."""
    raw = text.encode()
    return bytes([len(raw)]) + raw


def long(raw: bytes) -> bytes:
    """Encode a long string."""
    return struct.pack(">I", len(raw)) + raw


def frame(kind: int, channel: int, payload: bytes) -> bytes:
    """Encode a frame (section 4.2.3)."""
    return struct.pack(">BHI", kind, channel, len(payload)) + payload + bytes([_END])


def method(channel: int, name: tuple[int, int], arguments: bytes) -> bytes:
    """Encode a method frame."""
    return frame(METHOD, channel, struct.pack(">HH", *name) + arguments)


def opening(queue: str) -> list[tuple[bytes, tuple[int, int]]]:
    """Return the steps that open a connection and declare `queue` (section 2.2.4): the bytes to
    send, and the method that the client then waits for."""
    plain = long(b"") + short("PLAIN") + long(b"\0guest\0guest") + short("en_US")
    tune = struct.pack(">HIH", 1, 131072, 0)
    declare = b"\0\0" + short(queue) + b"\0" + long(b"")
    return [
        (HEADER, START),
        (method(0, START_OK, plain), TUNE),
        (
            method(0, TUNE_OK, tune) + method(0, OPEN, short("/") + short("") + b"\0"),
            OPEN_OK,
        ),
        (method(1, CHANNEL_OPEN, short("")), CHANNEL_OPEN_OK),
        (method(1, DECLARE, declare), DECLARE_OK),
    ]


def publish(queue: str, body: bytes) -> bytes:
    """Encode a message to `queue` by the default exchange: method, content header, one body."""
    header = struct.pack(">HHQH", PUBLISH[0], 0, len(body), 0)
    return (
        method(1, PUBLISH, b"\0\0" + short("") + short(queue) + b"\0")
        + frame(CONTENT_HEADER, 1, header)
        + frame(CONTENT_BODY, 1, body)
    )


def frames(buffer: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield (type, end offset, payload) of every complete frame at the start of `buffer`.

    Raises:
        Malformed: a frame has a wrong end octet.
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
    """Return class and method of a method frame's payload.

    Raises:
        Malformed: the payload is too short.
    """
    if len(payload) < 4:
        raise Malformed("a method without a name")
    found = struct.unpack_from(">HH", payload)
    return found[0], found[1]


def tag_of(payload: bytes, at: int = 4) -> tuple[bytes, bool]:
    """Return the delivery tag at `at` of a method frame's payload, and the bit behind it:
    "multiple" of basic.ack, "redelivered" of basic.deliver.

    Raises:
        Malformed: the payload is too short.
    """
    if len(payload) < at + 9:
        raise Malformed("a method without its delivery tag")
    return payload[at : at + 8], bool(payload[at + 8] & 1)


def delivery(payload: bytes) -> tuple[bytes, bool]:
    """Return delivery tag and "redelivered" of a basic.deliver. Raises as `tag_of`."""
    consumer_tag_bytes = payload[4] if len(payload) > 4 else 0
    return tag_of(payload, 5 + consumer_tag_bytes)


def content_bytes(payload: bytes) -> int:
    """Return the body size of a content header, bytes.

    Raises:
        Malformed: the payload is too short.
    """
    if len(payload) < 12:
        raise Malformed("a content header without the body's size")
    return int.from_bytes(payload[4:12], "big")
