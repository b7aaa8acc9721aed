"""Flash and RAM that each protocol engine costs on the LX106 board.

    size_report.py BASE.elf ALL.elf NAME=ENGINE.elf ...   engine,flash_bytes,ram_bytes
    size_report.py --sections IMAGE.elf ...               image,section,bytes
    size_report.py --memory IMAGE.elf ...                 image,flash_bytes,iram_bytes,ram_bytes,
                                                          free_bytes

BASE is an image without any engine: the board, the network and the application. An engine's row is
the difference between an image with this engine and BASE (for `secure` and `tls13`: an image with
all engines and the security layer of TLS 1.2 or 1.3); the rows `base` and `all` are whole images.
Flash is code, constants and initial values. RAM is static data RAM: constants (the chip's flash
supports aligned 32-bit loads only), variables and zeroed memory. Heap and stack use the free RAM.
On an ESP8266 all of it is heap, before the SDK and Wi-Fi, since the stack is elsewhere.

Exit status 0; 2 when an argument cannot be read.
"""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass
from pathlib import Path

# Section header fields (ELF, 32 bits, little endian).
NOBITS = 8
ALLOCATED = 2

DATA_RAM = range(0x3FFE8000, 0x3FFE8000 + 80 * 1024)
INSTRUCTION_RAM = range(0x40100000, 0x40100000 + 32 * 1024)


class SizeError(Exception):
    """An argument is not an image; the message says which."""


@dataclass(frozen=True)
class Section:
    """An allocated section of the image."""

    name: str
    address: int
    size: int
    in_file: bool


def read_sections(path: Path) -> list[Section]:
    """The allocated sections of an ELF file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SizeError(f"{path}: cannot be read ({error.strerror}); build it first") from error
    if data[:6] != b"\x7fELF\x01\x01":
        raise SizeError(f"{path}: not a 32-bit little-endian ELF file; name a linked image")
    (table,) = struct.unpack_from("<I", data, 32)
    entry, count, names_index = struct.unpack_from("<HHH", data, 46)
    headers = [struct.unpack_from("<10I", data, table + i * entry) for i in range(count)]
    names_at = headers[names_index][4]
    return [
        Section(
            name=data[names_at + name : data.index(b"\0", names_at + name)].decode("ascii"),
            address=address,
            size=size,
            in_file=kind != NOBITS,
        )
        for name, kind, flags, address, _, size, *_ in headers
        if flags & ALLOCATED and size
    ]


def flash_and_ram(path: Path) -> tuple[int, int]:
    """Bytes of flash and of static data RAM that an image uses."""
    sections = read_sections(path)
    flash = sum(section.size for section in sections if section.in_file)
    ram = sum(section.size for section in sections if section.address in DATA_RAM)
    return flash, ram


def engine_rows(base: Path, everything: Path, engines: list[str]) -> list[str]:
    """The table of engines."""
    base_flash, base_ram = flash_and_ram(base)
    rows = ["engine,flash_bytes,ram_bytes", f"base,{base_flash},{base_ram}"]
    for argument in engines:
        name, _, path = argument.partition("=")
        if not path:
            raise SizeError(f"{argument}: no NAME=FILE; name the engine of the image")
        flash, ram = flash_and_ram(Path(path))
        rows.append(f"{name},{flash - base_flash},{ram - base_ram}")
    flash, ram = flash_and_ram(everything)
    return [*rows, f"all,{flash},{ram}"]


def section_rows(images: list[str]) -> list[str]:
    """The table of sections."""
    rows = ["image,section,bytes"]
    for image in images:
        path = Path(image)
        rows += [f"{path.stem},{s.name},{s.size}" for s in read_sections(path)]
    return rows


def memory_rows(images: list[str]) -> list[str]:
    """The table of memories. Data RAM ends where the last variable does."""
    rows = ["image,flash_bytes,iram_bytes,ram_bytes,free_bytes"]
    for image in images:
        path = Path(image)
        sections = read_sections(path)
        flash = sum(s.size for s in sections if s.in_file)
        iram = sum(s.size for s in sections if s.address in INSTRUCTION_RAM)
        ends = [s.address + s.size for s in sections if s.address in DATA_RAM]
        ram = max(ends, default=DATA_RAM.start) - DATA_RAM.start
        rows.append(f"{path.stem},{flash},{iram},{ram},{len(DATA_RAM) - ram}")
    return rows


def main(arguments: list[str]) -> int:
    """Print the table that the arguments select."""
    try:
        match arguments:
            case ["--sections", first, *more]:
                rows = section_rows([first, *more])
            case ["--memory", first, *more]:
                rows = memory_rows([first, *more])
            case [base, everything, *engines] if not base.startswith("-"):
                rows = engine_rows(Path(base), Path(everything), engines)
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except SizeError as error:
        print(f"thinwire: error: {error}", file=sys.stderr)
        return 2
    print("\n".join(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
