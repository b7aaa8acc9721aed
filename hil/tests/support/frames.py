"""Hand-made frames for tests: the board's messages over UDP and TCP."""

from __future__ import annotations

import struct

from hil.bundle.pcapng import Frame
from hil.design import addressing

ACK, PSH, RST, SYN, FIN = 0x10, 0x08, 0x04, 0x02, 0x01
_UDP = 17
_ETHERNET_BYTES, _IPV4_BYTES = 14, 20


def _address(text: str) -> bytes:
    return bytes(int(part) for part in text.split("."))


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def ipv4(protocol: int, body: bytes, from_board: bool = True) -> bytes:
    """An Ethernet frame with an IPv4 packet between board and server (checksums zero)."""
    ends = [
        (addressing.BOARD_MAC, addressing.BOARD_IP),
        (addressing.SERVER_MAC, addressing.SERVER_IP),
    ]
    source, target = ends if from_board else reversed(ends)
    head = (
        struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(body), 0, 0, 64, protocol, 0)
        + _address(source[1])
        + _address(target[1])
    )
    return _mac(target[0]) + _mac(source[0]) + b"\x08\x00" + head + body


def udp(payload: bytes, from_board: bool = True, port: int = 5683, source: int = 50000) -> bytes:
    """A datagram from port `source` to `port`."""
    head = struct.pack(">HHHH", source, port, 8 + len(payload), 0)
    return ipv4(_UDP, head + payload, from_board)


def tcp(
    sequence: int,
    payload: bytes,
    from_board: bool = True,
    port: int = 1883,
    source: int = 50000,
    *,
    acknowledged: int = 0,
    flags: int = PSH | ACK,
    window: int = 65535,
) -> bytes:
    """A segment from port `source` to `port`."""
    numbers = (sequence % (1 << 32), acknowledged % (1 << 32))
    head = struct.pack(">HHIIBBHHH", source, port, *numbers, 5 << 4, flags, window, 0, 0)
    return ipv4(6, head + payload, from_board)


def _checksum(data: bytes) -> bytes:
    """Internet checksum (RFC 1071)."""
    total = sum(struct.unpack(f">{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    total = (total & 0xFFFF) + (total >> 16)
    return struct.pack(">H", ~(total + (total >> 16)) & 0xFFFF)


def with_checksums(data: bytes) -> bytes:
    """A frame of [udp][] or [tcp][] with its checksums filled in."""
    start = _ETHERNET_BYTES + _IPV4_BYTES
    link, ip, body = data[:_ETHERNET_BYTES], data[_ETHERNET_BYTES:start], data[start:]
    at = 6 if ip[9] == _UDP else 16
    checksum = _checksum(ip[12:] + struct.pack(">HH", ip[9], len(body)) + body)
    if ip[9] == _UDP and checksum == bytes(2):  # 0 says that there is none (RFC 768)
        checksum = b"\xff\xff"
    return link + ip[:10] + _checksum(ip) + ip[12:] + body[:at] + checksum + body[at + 2 :]


def frame(data: bytes, time_ns: int = 1_577_836_800_000_000_001) -> Frame:
    return Frame(time_ns, data, len(data))


def pcap(frames: list[Frame], magic: int = 0xA1B23C4D) -> bytes:
    """A file as tcpdump writes it."""
    head = struct.pack("<IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
    return head + b"".join(
        struct.pack("<IIII", *divmod(f.time_ns, 10**9), len(f.data), f.length) + f.data
        for f in frames
    )
