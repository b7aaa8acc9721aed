"""Images for the LX106 board: is a file one for this processor, within the chip's memory? How long
are its instructions?"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from hil.base.errors import InputError

# firmware/boards/lx106/link.ld: start and bytes of each region.
REGIONS = {
    "data RAM": (0x3FFE8000, 80 << 10),
    "instruction RAM": (0x40100000, 32 << 10),
    "flash": (0x40200000, 1 << 20),
}
_EM_XTENSA, _ET_EXEC, _PT_LOAD = 94, 2, 1
_HEAD, _SEGMENT = struct.Struct("<16sHHIIIIIHHH"), struct.Struct("<8I")
_REMEDY = "build it with thinwire_firmware (docs/try-lx106.md)"


def check(path: Path) -> None:
    """Check that the LX106 board can load the file.

    Raises:
        InputError: it cannot be read, is no program for this processor, or lies outside of the
            chip's memory.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise InputError(path, "", problem, "check the path") from error
    try:
        problem = _problem(data)
    except struct.error:
        problem = "is an ELF file that ends early"
    if problem:
        raise InputError(path, "", problem, _REMEDY)


def lengths(path: Path, addresses: Sequence[int]) -> list[int]:
    """Return the length in bytes of the instruction at each address, as the file has it; 0 where it
    has none. Bit 3 of an instruction's first byte is set in the ones of two bytes, but for 14 and
    15 in its lower half (Xtensa Instruction Set Architecture, code density option)."""
    data = path.read_bytes()
    *_, table, _, _, _, size, count = _HEAD.unpack_from(data)
    segments = [_SEGMENT.unpack_from(data, table + number * size) for number in range(count)]
    found = []
    for address in addresses:
        places = (
            offset + address - start
            for kind, offset, start, _, in_file, *_ in segments
            if kind == _PT_LOAD and start <= address < start + in_file
        )
        place = next(places, None)
        found.append(0 if place is None else 2 if 8 <= data[place] & 15 < 14 else 3)
    return found


def _problem(data: bytes) -> str:
    """Return why a file is no image, or an empty text; struct.error if it ends early."""
    if data[:4] != b"\x7fELF":
        return "is no ELF file"
    ident, kind, machine, _, entry, table, *_, size, count = _HEAD.unpack_from(data)
    if ident[4:6] != b"\1\1" or machine != _EM_XTENSA:
        return "is a program for another processor than the LX106 (Xtensa, 32 bits, little-endian)"
    if kind != _ET_EXEC:
        return "is not linked"
    if not _within(entry, 4):
        return f"starts at {entry:#x}, outside of the chip's memory"
    segments = (_SEGMENT.unpack_from(data, table + number * size) for number in range(count))
    return _misplaced([each for each in segments if each[0] == _PT_LOAD and each[5]], len(data))


def _misplaced(segments: list[tuple[int, ...]], file_bytes: int) -> str:
    """Return which of the loaded segments has no place, or an empty text."""
    for _, offset, address, _, in_file, in_memory, *_ in segments:
        if offset + in_file > file_bytes:
            return "is an ELF file that ends early"
        if not _within(address, in_memory):
            return f"has {in_memory} bytes at {address:#x}, outside of the chip's memory"
    spans = sorted((each[2], each[2] + each[5]) for each in segments)
    overlap = any(end > start for (_, end), (start, _) in pairwise(spans))
    return "has segments that overlap" if overlap else ""


def _within(address: int, size: int) -> bool:
    return any(
        start <= address and address + size <= start + length for start, length in REGIONS.values()
    )
