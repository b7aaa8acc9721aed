"""Names of functions in an image for the LX106, from its ELF file's symbol table."""

from __future__ import annotations

import struct
from pathlib import Path

_SHT_SYMTAB, _STT_FUNC = 2, 2
_SECTION, _SYMBOL = struct.Struct("<10I"), struct.Struct("<IIIBBH")


def function_at(image: Path, address: int) -> str:
    """Return the name of the function that has this address; empty if none is known."""
    try:
        return _function_at(image.read_bytes(), address)
    except (OSError, struct.error, ValueError, IndexError):
        return ""  # a name is a help and no condition


def _function_at(data: bytes, address: int) -> str:
    (table,) = struct.unpack_from("<I", data, 32)
    size, count = struct.unpack_from("<HH", data, 46)
    sections = [_SECTION.unpack_from(data, table + number * size) for number in range(count)]
    for _, kind, _, _, offset, length, link, *_ in sections:
        if kind != _SHT_SYMTAB:
            continue
        names = sections[link][4]
        for at in range(offset, offset + length, _SYMBOL.size):
            name, value, extent, info, _, _ = _SYMBOL.unpack_from(data, at)
            if info & 15 == _STT_FUNC and value <= address < value + extent:
                return data[names + name : data.index(b"\0", names + name)].decode("ascii")
    return ""
