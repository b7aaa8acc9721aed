"""CoAP messages (RFC 7252, section 3). No I/O, no state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

CON, NON, ACK, RST = range(4)
EMPTY, GET, POST = 0, 1, 2
URI_PATH = 11
# Section 4.8.
ACK_TIMEOUT_S, ACK_RANDOM_FACTOR, MAX_RETRANSMIT = 2.0, 1.5, 4
_VERSION = 1
_MARKER = 0xFF


class Malformed(ValueError):
    """The bytes are not a CoAP message; the text gives the reason."""


@dataclass(frozen=True)
class Message:
    """`options` are (number, value) in ascending order; `code` as class * 32 + detail."""

    kind: int
    code: int
    message_id: int
    token: bytes = b""
    options: tuple[tuple[int, bytes], ...] = ()
    payload: bytes = b""


def path(text: str) -> tuple[tuple[int, bytes], ...]:
    """Return the Uri-Path options of a path."""
    return tuple((URI_PATH, part.encode()) for part in text.split("/"))


def is_response(code: int) -> bool:
    """Return whether the code has class 2, 4 or 5."""
    return code >> 5 in {2, 4, 5}


def _nibble(value: int) -> tuple[int, bytes]:
    """Encode a delta or length as four bits and the bytes that extend them (section 3.1)."""
    if value < 13:
        return value, b""
    if value < 269:
        return 13, bytes([value - 13])
    return 14, (value - 269).to_bytes(2, "big")


def encode(message: Message) -> bytes:
    """Encode a message as a datagram.

    Raises:
        ValueError: the token is longer than 8 bytes, or options do not ascend.
    """
    if len(message.token) > 8:
        raise ValueError("token")
    data = bytearray([_VERSION << 6 | message.kind << 4 | len(message.token), message.code])
    data += message.message_id.to_bytes(2, "big") + message.token
    last = 0
    for number, value in message.options:
        if number < last:
            raise ValueError("options")
        (delta, more_delta), (length, more_length) = _nibble(number - last), _nibble(len(value))
        data += bytes([delta << 4 | length]) + more_delta + more_length + value
        last = number
    if message.payload:
        data += bytes([_MARKER]) + message.payload
    return bytes(data)


def _extended(nibble: int, rest: Iterator[int]) -> int:
    """Decode a nibble and its extension."""
    try:
        if nibble == 13:
            return 13 + next(rest)
        if nibble == 14:
            return 269 + (next(rest) << 8 | next(rest))
    except StopIteration:
        raise Malformed("option cut off") from None
    if nibble == 15:
        raise Malformed("reserved nibble")
    return nibble


def decode(datagram: bytes) -> Message:
    """Decode a datagram.

    Raises:
        Malformed: the datagram violates the format of section 3.
    """
    if len(datagram) < 4 or datagram[0] >> 6 != _VERSION:
        raise Malformed("header")
    size = datagram[0] & 15
    kind, code = datagram[0] >> 4 & 3, datagram[1]
    message_id = int.from_bytes(datagram[2:4], "big")
    if size > 8 or len(datagram) < 4 + size:
        raise Malformed("token")
    if code == EMPTY and len(datagram) > 4:
        raise Malformed("empty message with content")
    at, number, options = 4 + size, 0, []
    while at < len(datagram) and datagram[at] != _MARKER:
        rest = iter(datagram[at + 1 : at + 5])
        delta = _extended(datagram[at] >> 4, rest)
        length = _extended(datagram[at] & 15, rest)
        extra = sum((n == 13) + 2 * (n == 14) for n in (datagram[at] >> 4, datagram[at] & 15))
        start = at + 1 + extra
        if start + length > len(datagram):
            raise Malformed("option cut off")
        number += delta
        options.append((number, datagram[start : start + length]))
        at = start + length
    if at == len(datagram) - 1:
        raise Malformed("marker without payload")
    return Message(
        kind, code, message_id, datagram[4 : 4 + size], tuple(options), datagram[at + 1 :]
    )
