"""CoAP datagrams for cases: what the other end of an engine would send, and what it reads."""

from __future__ import annotations

from hil.peers.coap import codec

Option = tuple[int, bytes]
OBSERVE, ETAG, BLOCK2, BLOCK1 = 6, 4, 23, 27
CHANGED, CONTENT, CONTINUE = 0x44, 0x45, 0x5F
BAD_REQUEST, NOT_FOUND, INCOMPLETE, TOO_LARGE = 0x80, 0x84, 0x88, 0x8D


def uint(option: int, value: int) -> Option:
    """An option with an unsigned value, in the fewest bytes (RFC 7252, section 3.2)."""
    return option, value.to_bytes((value.bit_length() + 7) // 8, "big")


def block(option: int, number: int, size: int, more: bool = False) -> Option:
    """Block1 or Block2: this block of `size` bytes, a power of two from 16 to 1024."""
    return uint(option, number << 4 | more << 3 | (size.bit_length() - 5))


def request(code: int, mid: int, *more: Option, path: tuple[bytes, ...] = (b"a",), **rest) -> bytes:
    """A request for a path, given by its segments; confirmable unless `kind` says otherwise."""
    options = sorted([*((codec.URI_PATH, part) for part in path), *more], key=lambda item: item[0])
    kind = rest.pop("kind", codec.CON)
    return codec.encode(codec.Message(kind, code, mid, options=tuple(options), **rest))


def answer(
    to: bytes,
    code: int,
    *options: Option,
    kind: int = codec.ACK,
    mid: int | None = None,
    payload: bytes = b"",
) -> bytes:
    """A response to a request: piggybacked, or of another kind with a message ID of its own."""
    asked = codec.decode(to)
    message_id = asked.message_id if mid is None else mid
    return codec.encode(
        codec.Message(kind, code, message_id, asked.token, tuple(sorted(options)), payload)
    )


def empty(kind: int, of: bytes) -> bytes:
    """An acknowledgement or a Reset of a message."""
    return codec.encode(codec.Message(kind, codec.EMPTY, codec.decode(of).message_id))


def value(message: bytes, option: int) -> int | None:
    """The unsigned value of an option; None without it."""
    found = dict(codec.decode(message).options).get(option)
    return None if found is None else int.from_bytes(found, "big")
