"""Names of functions and variables in an image for the LX106, from its ELF file's symbol table."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

_SHT_SYMTAB, _STT_FUNC, _STT_FILE = 2, 2, 4
_STB_LOCAL = 0
_SECTION, _SYMBOL = struct.Struct("<10I"), struct.Struct("<IIIBBH")


def function_at(image: Path, address: int) -> str:
    """Return the name of the function that has this address; empty if none is known."""
    try:
        for _, name, value, extent, kind in _symbols(image.read_bytes()):
            if kind == _STT_FUNC and value <= address < value + extent:
                return name
    except (OSError, struct.error, ValueError, IndexError):
        pass  # a name is a help and no condition
    return ""


def addresses(image: Path) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return the addresses of functions and variables by the source file, which is empty unless
    they are static, and the name; empty for an image that cannot be read."""
    found: dict[tuple[str, str], tuple[int, ...]] = {}
    try:
        for file, name, value, _, _ in _symbols(image.read_bytes()):
            found[file, name] = (*found.get((file, name), ()), value)
    except (OSError, struct.error, ValueError, IndexError):
        return {}
    return found


def functions(image: Path) -> list[tuple[str, str, int, int]]:
    """Return the functions by address: the source file, which is empty unless they are static, the
    name, the address and the size in bytes. Of several names of a function the first one counts.
    Empty for an image that cannot be read."""
    found: dict[int, tuple[str, str, int, int]] = {}
    try:
        for file, name, value, extent, kind in _symbols(image.read_bytes()):
            if kind == _STT_FUNC and extent:
                found.setdefault(value, (file, name, value, extent))
    except (OSError, struct.error, ValueError, IndexError):
        return []
    return [found[address] for address in sorted(found)]


def _symbols(data: bytes) -> Iterator[tuple[str, str, int, int, int]]:
    """Yield of each symbol but those of files: the source file, which is empty unless it is static,
    its name, value, size and type (`st_info`, System V ABI)."""
    (table,) = struct.unpack_from("<I", data, 32)
    size, count = struct.unpack_from("<HH", data, 46)
    sections = [_SECTION.unpack_from(data, table + number * size) for number in range(count)]
    for _, kind, _, _, offset, length, link, *_ in sections:
        if kind != _SHT_SYMTAB:
            continue
        names, file = sections[link][4], ""
        for at in range(offset, offset + length, _SYMBOL.size):
            name, value, extent, info, _, _ = _SYMBOL.unpack_from(data, at)
            text = data[names + name : data.index(b"\0", names + name)].decode("ascii")
            if info & 15 == _STT_FILE:
                file = text
                continue
            yield file if info >> 4 == _STB_LOCAL else "", text, value, extent, info & 15
