"""Where an address of a running program lies: file, function, offset. Found by the contents of its
code's page, since the host does not see which file the machine has mapped there."""

from __future__ import annotations

import bisect
import struct
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from hil.machine import elf

PAGE = 4096
_PT_LOAD, _PF_X, _SHT_SYMTAB, _SHT_DYNSYM, _STT_FUNC = 1, 1, 2, 11, 2


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


@dataclass(frozen=True)
class Program:
    """An ELF file: its name, and its contents."""

    name: str
    data: bytes

    def _table(self, at: int, entry: str, count_at: int) -> Iterator[tuple[int, ...]]:
        """Yield the entries of the table of segments or sections."""
        (offset,) = struct.unpack_from("<Q", self.data, at)
        size, count = struct.unpack_from("<HH", self.data, count_at)
        for number in range(count):
            yield struct.unpack_from(entry, self.data, offset + number * size)

    def code(self) -> Iterator[tuple[int, int]]:
        """Yield the parts of the file that hold code, as begin and end."""
        for kind, flags, start, _, _, size, _, _ in self._table(32, "<IIQQQQQQ", 54):
            if kind == _PT_LOAD and flags & _PF_X:
                yield start, start + size

    def address(self, offset: int) -> int:
        """Return the virtual address of an offset in the file; the offset itself if it is loaded
        nowhere."""
        for kind, _, start, address, _, size, _, _ in self._table(32, "<IIQQQQQQ", 54):
            if kind == _PT_LOAD and start <= offset < start + size:
                return offset - start + address
        return offset

    @cached_property
    def functions(self) -> list[tuple[int, str]]:
        """Addresses and names of its functions, sorted."""
        sections = [_Section(*entry) for entry in self._table(40, "<IIQQQQIIQQ", 58)]
        found: dict[int, str] = {}
        for section in sections:
            if section.kind not in (_SHT_SYMTAB, _SHT_DYNSYM) or not section.entry:
                continue
            names = sections[section.link].offset
            for at in range(section.offset, section.offset + section.size, section.entry):
                name, info, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
                if info & 15 == _STT_FUNC and value:
                    start = names + name
                    text = self.data[start : self.data.index(b"\0", start)]
                    found.setdefault(value, text.decode("utf-8", errors="replace"))
        return sorted(found.items())

    def place(self, offset: int) -> str:
        """Return the function at an offset in the file, and the file."""
        address = self.address(offset)
        try:
            functions = self.functions
        except (struct.error, ValueError, IndexError):  # a damaged table of symbols
            functions = []
        at = bisect.bisect_right(functions, (address, "\U0010ffff")) - 1
        if at < 0:
            return f"{address:#x} in {self.name}"
        start, name = functions[at]
        return f"{name}+{address - start:#x} in {self.name}"


@dataclass
class Programs:
    """The programs and libraries of packages."""

    found: list[Program] = field(default_factory=list)

    @classmethod
    def of(cls, packages: list[Path]) -> Programs:
        """Return those in these packages (hil/machine/package.py)."""
        found = []
        for package in packages:
            with tarfile.open(package, "r:") as archive:
                for entry in archive:
                    content = archive.extractfile(entry) if entry.isfile() else None
                    if content is None or content.read(4) != elf.MAGIC:
                        continue
                    found.append(Program(f"/{entry.name}", elf.MAGIC + content.read()))
        return cls(found)

    def place(self, address: int, page: bytes) -> str:
        """Return the function at an address, given the page around it; an empty text if no program
        has this page."""
        for program in self.found:
            at = program.data.find(page)
            if at >= 0 and at % PAGE == 0:
                return program.place(at + address % PAGE)
        return ""
