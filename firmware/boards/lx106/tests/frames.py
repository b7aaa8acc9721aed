"""Build and parse Ethernet, ARP, IPv4, ICMP, UDP and TCP frames."""

from __future__ import annotations

import ipaddress
import struct

from board import BOARD_IP, BOARD_MAC, PEER_IP

PEER_MAC = bytes.fromhex("020000000001")
BROADCAST = b"\xff" * 6

ARP, IPV4 = 0x0806, 0x0800
ICMP, TCP, UDP = 1, 6, 17
FIN, SYN, RST, ACK = 0x01, 0x02, 0x04, 0x10


def packed(address: str) -> bytes:
    """An IPv4 address as four bytes."""
    return ipaddress.IPv4Address(address).packed


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ethernet(kind: int, payload: bytes, *, to: bytes = BOARD_MAC) -> bytes:
    """A frame from the peer, padded to the minimum of 60 bytes."""
    return (to + PEER_MAC + struct.pack("!H", kind) + payload).ljust(60, b"\0")


def arp(operation: int, target_mac: bytes = b"\0" * 6) -> bytes:
    """An ARP request (1) for the board's address, or the peer's reply (2)."""
    head = struct.pack("!HHBBH", 1, IPV4, 6, 4, operation)
    body = PEER_MAC + packed(PEER_IP) + target_mac + packed(BOARD_IP)
    return ethernet(ARP, head + body, to=BROADCAST if operation == 1 else target_mac)


def ipv4(protocol: int, payload: bytes) -> bytes:
    """A frame with an IPv4 packet from the peer to the board."""
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), 1, 0, 64, protocol, 0)
    addresses = packed(PEER_IP) + packed(BOARD_IP)
    head = head[:10] + struct.pack("!H", checksum(head + addresses)) + addresses
    return ethernet(IPV4, head + payload)


def ping(sequence: int) -> bytes:
    """An ICMP echo request."""
    body = struct.pack("!HH", 0x5457, sequence) + b"thinwire"
    head = struct.pack("!BB", 8, 0)
    return ipv4(ICMP, head + struct.pack("!H", checksum(head + b"\0\0" + body)) + body)


def is_ipv4(frame: bytes, protocol: int) -> bool:
    """True for an IPv4 packet of this protocol."""
    return frame[12:14] == b"\x08\x00" and frame[23] == protocol


def is_pong(frame: bytes, sequence: int) -> bool:
    """True for the answer to ping(sequence)."""
    return (
        frame[12:14] == b"\x08\x00"
        and frame[23] == ICMP
        and frame[34] == 0
        and frame[38:42] == struct.pack("!HH", 0x5457, sequence)
    )


def is_arp_request(frame: bytes) -> bool:
    """True when the board asks for the peer's address."""
    return (
        frame[12:14] == b"\x08\x06" and frame[20:22] == b"\0\1" and frame[38:42] == packed(PEER_IP)
    )


def is_arp_reply(frame: bytes) -> bool:
    """True when the board answers for its own address."""
    return frame[12:14] == b"\x08\x06" and frame[20:22] == b"\0\2"


def is_syn(frame: bytes) -> bool:
    """True for the first segment of a TCP handshake."""
    return frame[12:14] == b"\x08\x00" and frame[23] == TCP and frame[47] & (SYN | ACK) == SYN


def tcp_mss(frame: bytes) -> int:
    """The MSS option of a SYN (RFC 9293, section 3.2), which must be its first option."""
    kind, length, mss = struct.unpack_from("!BBH", frame, 54)
    assert (kind, length) == (2, 4), frame.hex()
    return mss


def tcp_window(frame: bytes) -> int:
    """The window that a TCP segment announces."""
    return struct.unpack_from("!H", frame, 48)[0]


def tcp(
    ports: tuple[int, int], sequence: int, acknowledge: int, flags: int, data: bytes = b""
) -> bytes:
    """A TCP segment between (source, target), window 8192."""
    source, target = ports
    head = struct.pack("!HHIIBBHHH", source, target, sequence, acknowledge, 0x50, flags, 8192, 0, 0)
    pseudo = packed(PEER_IP) + packed(BOARD_IP) + struct.pack("!BBH", 0, TCP, 20 + len(data))
    total = checksum(pseudo + head + data)
    return ipv4(TCP, head[:16] + struct.pack("!H", total) + head[18:] + data)


def udp(source: int, target: int, data: bytes) -> bytes:
    """A UDP datagram from the peer, without checksum."""
    return ipv4(UDP, struct.pack("!HHHH", source, target, 8 + len(data), 0) + data)


def reseal(frame: bytes) -> bytes:
    """Return the frame with correct checksums of IPv4, ICMP and TCP, so that a change elsewhere
    passes their checks. Only complete IPv4 packets without options are changed.
    """
    if len(frame) < 54 or frame[12:15] != b"\x08\x00\x45":
        return frame
    (total,) = struct.unpack_from("!H", frame, 16)
    if not 40 <= total <= len(frame) - 14:
        return frame
    out = bytearray(frame)
    out[24:26] = b"\0\0"
    out[24:26] = struct.pack("!H", checksum(bytes(out[14:34])))
    body = out[34 : 14 + total]
    if out[23] == ICMP:
        body[2:4] = b"\0\0"
        body[2:4] = struct.pack("!H", checksum(bytes(body)))
    elif out[23] == TCP:
        pseudo = bytes(out[26:34]) + struct.pack("!BBH", 0, TCP, len(body))
        body[16:18] = b"\0\0"
        body[16:18] = struct.pack("!H", checksum(pseudo + bytes(body)))
    out[34 : 14 + total] = body
    return bytes(out)
