"""The parts of an Ethernet frame with IPv4: to describe frames, not to compute metrics."""

from __future__ import annotations

import struct
from typing import NamedTuple

from hil.design import addressing

TCP, UDP = 6, 17
_IPV4 = b"\x08\x00"
BOARD, SERVER = (
    bytes.fromhex(mac.replace(":", "")) for mac in (addressing.BOARD_MAC, addressing.SERVER_MAC)
)


class Packet(NamedTuple):
    """Protocol above IPv4, and the offsets at which its header begins and the packet ends."""

    protocol: int
    at: int
    end: int


def sender(data: bytes) -> bytes:
    """Return the source address of a frame."""
    return data[6:12]


def packet(data: bytes) -> Packet | None:
    """Return the packet of a frame; None if there is none (RFC 791, section 3.1)."""
    if data[12:14] != _IPV4 or len(data) < 34:
        return None
    (length,) = struct.unpack_from(">H", data, 16)
    return Packet(data[23], 14 + 4 * (data[14] & 15), 14 + length)


def data_bytes(data: bytes) -> int:
    """Return the size of the application data in a frame of TCP or UDP over IPv4, in bytes; 0 for
    any other frame."""
    if not (found := packet(data)):
        return 0
    protocol, at, end = found
    if protocol == UDP:
        return end - at - 8
    if protocol == TCP and len(data) >= at + 20:
        return end - at - 4 * (data[at + 12] >> 4)
    return 0
