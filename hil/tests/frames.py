"""Hand-made frames for tests: the board's messages over UDP and TCP."""

from __future__ import annotations

import struct

from hil.bundle.pcapng import Frame
from hil.design import plan


def _address(text: str) -> bytes:
    return bytes(int(part) for part in text.split("."))


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def ipv4(protocol: int, body: bytes, from_board: bool = True) -> bytes:
    """An Ethernet frame with an IPv4 packet between board and server (checksums zero)."""
    ends = [(plan.BOARD_MAC, plan.BOARD_IP), (plan.SERVER_MAC, plan.SERVER_IP)]
    source, target = ends if from_board else reversed(ends)
    head = (
        struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(body), 0, 0, 64, protocol, 0)
        + _address(source[1])
        + _address(target[1])
    )
    return _mac(target[0]) + _mac(source[0]) + b"\x08\x00" + head + body


def udp(payload: bytes, from_board: bool = True, port: int = 5683) -> bytes:
    head = struct.pack(">HHHH", 50000, port, 8 + len(payload), 0)
    return ipv4(17, head + payload, from_board)


def tcp(sequence: int, payload: bytes, from_board: bool = True, port: int = 1883) -> bytes:
    head = struct.pack(
        ">HHIIBBHHH", 50000, port, sequence % (1 << 32), 0, 5 << 4, 0x18, 65535, 0, 0
    )
    return ipv4(6, head + payload, from_board)


def frame(data: bytes, time_ns: int = 1_577_836_800_000_000_001) -> Frame:
    return Frame(time_ns, data, len(data))
