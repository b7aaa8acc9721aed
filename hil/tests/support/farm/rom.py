"""The ESP8266's serial boot loader as esptool sees it: SLIP frames, ROM commands, then the stub's.

After esptool's documentation, "Serial Protocol". The stub that esptool uploads is not run: its
checksums are checked, it is greeted for, and its commands are carried out on `flash`.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator

_END, _ESC = 0xC0, 0xDB
_MAGIC = {0x40001000: 0xFFF0C101}
_CLOCK_DIVIDER = {0x60000014: 26_000_000 * 2 // 115_200}  # a crystal of 26 MHz
_FLASH_ID = {0x60000240: 0x1640EF}  # the answer to RDID: 4 MB
_OK, _UNKNOWN, _BAD_CHECKSUM = b"\0\0", b"\1\5", b"\1\7"
SYNC, READ_REG, MEM_DATA, MEM_END = 0x08, 0x0A, 0x07, 0x06
FLASH_BEGIN, FLASH_DATA, DEFL_BEGIN, DEFL_DATA, MD5 = 0x02, 0x03, 0x10, 0x11, 0x13
BAUD = 0x0F
KNOWN = {0x04, 0x05, 0x09, 0x0B, 0x0D, BAUD, 0x12, 0xD0, 0xD1}


def _mac_registers(mac: str) -> dict[int, int]:
    octets = bytes.fromhex(mac.replace(":", ""))
    return {
        0x3FF00050: octets[5] << 24,
        0x3FF00054: octets[3] << 8 | octets[4],
        0x3FF00058: 0,
        0x3FF0005C: int.from_bytes(octets[:3], "big"),
    }


def slip(packet: bytes) -> bytes:
    """A frame (RFC 1055)."""
    escaped = packet.replace(b"\xdb", b"\xdb\xdd").replace(b"\xc0", b"\xdb\xdc")
    return bytes([_END]) + escaped + bytes([_END])


class Flash:
    """4 MB; `written` is the end of the last image at its beginning, `rewritten` whether a boot
    loader wrote it. A worn one keeps zeros."""

    def __init__(self, worn: bool = False) -> None:
        self.data = bytearray(b"\xff" * (4 << 20))
        self.written = 0
        self.rewritten = False
        self.worn = worn

    def write(self, at: int, data: bytes) -> None:
        self.data[at : at + len(data)] = bytes(len(data)) if self.worn else data
        self.written = max(self.written, at + len(data))


class BootLoader:
    """`take` bytes from the line; it yields the answers. `baud`: at which the next one is sent, 0
    before the host's is known."""

    def __init__(self, mac: str, flash: Flash) -> None:
        self._registers = _MAGIC | _CLOCK_DIVIDER | _FLASH_ID | _mac_registers(mac)
        self._flash = flash
        self.baud = 0
        self._packet: bytearray | None = None
        self._stub = self._escaped = False
        self._at, self._inflate = 0, zlib.decompressobj()

    def take(self, data: bytes) -> Iterator[bytes]:
        for byte in data:
            if byte == _END:
                if self._packet:
                    yield from self._command(bytes(self._packet))
                self._packet = bytearray()
            elif self._packet is not None:
                if self._escaped:
                    self._packet.append({0xDC: _END, 0xDD: _ESC}.get(byte, byte))
                elif byte != _ESC:
                    self._packet.append(byte)
                self._escaped = not self._escaped and byte == _ESC

    def _answer(
        self, command: int, value: int = 0, data: bytes = b"", status: bytes = _OK
    ) -> bytes:
        body = data + status
        return slip(struct.pack("<BBHI", 1, command, len(body), value) + body)

    def _command(self, packet: bytes) -> Iterator[bytes]:
        if len(packet) < 8 or packet[0] != 0:
            return
        _, command, _, checksum = struct.unpack_from("<BBHI", packet)
        body = packet[8:]
        if command == SYNC:
            value = 0 if self._stub else 0x20120707
            yield from [self._answer(SYNC, value)] * 8
        elif command == READ_REG:
            (address,) = struct.unpack_from("<I", body)
            yield self._answer(READ_REG, self._registers.get(address, 0))
        elif command in (MEM_DATA, FLASH_DATA, DEFL_DATA):
            yield self._data(command, body[16:], checksum)
        elif command in (FLASH_BEGIN, DEFL_BEGIN):
            *_, self._at = struct.unpack_from("<IIII", body)
            self._inflate = zlib.decompressobj()
            if command == DEFL_BEGIN:
                self._flash.written = 0
            yield self._answer(command)
        elif command == MEM_END:
            yield self._answer(command)
            self._stub = True
            yield slip(b"OHAI")
        elif command == MD5:
            at, size = struct.unpack_from("<II", body)
            digest = hashlib.md5(self._flash.data[at : at + size], usedforsecurity=False)
            yield self._answer(MD5, data=digest.digest())
        else:
            if command == BAUD:  # from after its answer on
                (self.baud,) = struct.unpack_from("<I", body)
            yield self._answer(command, status=_OK if command in KNOWN else _UNKNOWN)

    def _data(self, command: int, data: bytes, checksum: int) -> bytes:
        seen = 0xEF
        for byte in data:
            seen ^= byte
        if seen != checksum & 0xFF:
            return self._answer(command, status=_BAD_CHECKSUM)
        if command != MEM_DATA:
            plain = self._inflate.decompress(data) if command == DEFL_DATA else data
            self._flash.write(self._at, plain)
            self._flash.rewritten = True
            self._at += len(plain)
        return self._answer(command)
