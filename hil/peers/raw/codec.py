"""The header of raw TCP and UDP (firmware/core/protocols/raw/raw_header.h): 8 bytes.

In network order: type (1 DATA, 2 ACK), flags (bit 0: an ACK is wanted), payload size (2 bytes),
sequence (4 bytes).
"""

from __future__ import annotations

import struct
from typing import NamedTuple

DATA, ACK = 1, 2
_HEAD = struct.Struct(">BBHI")
HEAD_BYTES = _HEAD.size


class Malformed(ValueError):
    """The bytes are not a raw header."""


class Message(NamedTuple):
    kind: int
    ack_wanted: bool
    seq: int
    payload: bytes = b""


def encode(message: Message) -> bytes:
    head = _HEAD.pack(message.kind, message.ack_wanted, len(message.payload), message.seq)
    return head + message.payload


def take(buffer: bytes, at: int = 0) -> Message | None:
    """Decode the message at `at`; None while it is incomplete.

    Raises:
        Malformed: unknown type or flags, or an ACK with a payload.
    """
    if len(buffer) < at + HEAD_BYTES:
        return None
    kind, flags, size, seq = _HEAD.unpack_from(buffer, at)
    if kind not in {DATA, ACK} or flags > (kind == DATA) or (kind == ACK and size):
        raise Malformed(buffer[at : at + HEAD_BYTES].hex())
    end = at + HEAD_BYTES + size
    if len(buffer) < end:
        return None
    return Message(kind, bool(flags), seq, buffer[at + HEAD_BYTES : end])
