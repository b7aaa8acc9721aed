"""Captures as pcapng: converted from tcpdump's pcap, and read back for checks.

A capture depends on its frames only: it names no host, operating system or program and has no
comment, and its gzip header has neither name nor time. Format: draft-ietf-opsawg-pcapng.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import InputError

ETHERNET, RADIOTAP = 1, 127  # link types
_PCAP_NANO = b"\x4d\x3c\xb2\xa1"  # little-endian pcap with nanoseconds
_SECTION, _INTERFACE, _PACKET, _SECRETS = 0x0A0D0D0A, 1, 6, 10
_TLS_KEY_LOG = 0x544C534B
_BYTE_ORDER = 0x1A2B3C4D
_TSRESOL_NANO = struct.pack("<HHB3xHH", 9, 1, 9, 0, 0)
_PACKET_BYTES = 32  # of a block without a frame
_LARGEST = 1 << 32
_GZIP = 31  # wbits of zlib: a gzip header and the largest window
_REMEDY = "the capture is damaged: run the trial again"


@dataclass(frozen=True)
class Frame:
    """A captured frame: stamp in nanoseconds since 1970, its bytes, its length on the wire."""

    time_ns: int
    data: bytes
    length: int


def read_pcap(path: Path) -> Iterator[Frame]:
    """Yield the frames of tcpdump's file; an incomplete last record is skipped.

    Raises:
        InputError: it is not a pcap file with nanoseconds.
    """
    with path.open("rb") as file:
        head = file.read(24)
        if head[:4] != _PCAP_NANO or len(head) < 24:
            raise InputError(path, "offset 0", "is not a pcap file with nanoseconds", _REMEDY)
        while len(record := file.read(16)) == 16:
            seconds, nanoseconds, stored, length = struct.unpack("<IIII", record)
            data = file.read(stored)
            if len(data) < stored:
                return
            yield Frame(seconds * 1_000_000_000 + nanoseconds, data, length)


def _block(kind: int, body: bytes) -> bytes:
    body += b"\0" * (-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def encode(frames: Iterator[Frame] | list[Frame], link_type: int = ETHERNET) -> bytes:
    """Return a pcapng file: one section, one interface with stamps in nanoseconds, the frames."""
    section = struct.pack("<IHHq", _BYTE_ORDER, 1, 0, -1)
    interface = struct.pack("<HHI", link_type, 0, 0) + _TSRESOL_NANO
    blocks = [_block(_SECTION, section), _block(_INTERFACE, interface)]
    for frame in frames:
        high, low = divmod(frame.time_ns, 1 << 32)
        head = struct.pack("<IIIII", 0, high, low, len(frame.data), frame.length)
        blocks.append(_block(_PACKET, head + frame.data))
    return b"".join(blocks)


def with_key_log(capture: bytes, lines: str) -> bytes:
    """Return a pcapng file with the secrets of its TLS and DTLS sessions before its first frame, so
    that its readers can decrypt them. `lines` is a key log (SSLKEYLOGFILE)."""
    at = 0
    while at < len(capture) and int.from_bytes(capture[at : at + 4], "little") != _PACKET:
        at += int.from_bytes(capture[at + 4 : at + 8], "little")
    head = struct.pack("<II", _TLS_KEY_LOG, len(lines))
    return capture[:at] + _block(_SECRETS, head + lines.encode("ascii")) + capture[at:]


def pack(data: bytes, level: int = 6) -> bytes:
    """Compress data by gzip, without file name and time. zlib writes the header: the operating
    system in it (RFC 1952, 2.3.1) is 3, while Python's own module writes 255 since 3.13."""
    return zlib.compress(data, level, wbits=_GZIP)


def unpack(path: Path) -> bytes:
    """Return the contents of a gzip file; InputError if it is truncated, damaged or too large."""
    try:
        with gzip.open(path) as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise InputError(path, "", f"is larger than {_LARGEST} bytes unpacked", _REMEDY)
        return data
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(path, "", f"cannot be unpacked ({error})", _REMEDY) from error


def read(path: Path) -> list[Frame]:
    """Return the frames of a gzip-compressed pcapng file as this project writes it (one interface,
    stamps in ns).

    Raises:
        InputError: it is truncated or damaged; with the offset.
    """
    data, at, frames = unpack(path), 0, []
    while at < len(data):
        kind = int.from_bytes(data[at : at + 4], "little")
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        whole = size >= 12 and size % 4 == 0 and at + size <= len(data)
        if not whole or data[at + size - 4 : at + size] != data[at + 4 : at + 8]:
            raise InputError(path, f"offset {at}", "a block of the capture is truncated", _REMEDY)
        if at == 0 and kind != _SECTION:
            raise InputError(path, "offset 0", "is not a pcapng file", _REMEDY)
        if kind == _PACKET:
            frames.append(_frame(data[at : at + size], path, at))
        at += size
    return frames


def _frame(block: bytes, path: Path, offset: int) -> Frame:
    """Return the frame of an enhanced packet block."""
    stored = int.from_bytes(block[20:24], "little")
    if len(block) < _PACKET_BYTES + stored:
        raise InputError(path, f"offset {offset}", "a packet is longer than its block", _REMEDY)
    _, high, low, stored, length = struct.unpack_from("<IIIII", block, 8)
    return Frame((high << 32) + low, block[28 : 28 + stored], length)
