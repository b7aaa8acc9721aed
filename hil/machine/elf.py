"""ELF files and the shared libraries they need, as the machine inside will find them.

The loader itself is asked (`ld.so --list`), so that RUNPATH, `$ORIGIN`, the library cache of Debian
and the store paths of Nix are all followed by the program that defines them. Libraries
built for newer processors (glibc-hwcaps) are masked: the machine's CPU is a fixed, old model.
"""

from __future__ import annotations

import re
import struct
import subprocess
from functools import cache
from pathlib import Path

from hil.base.errors import InputError

_PT_INTERP = 3
MAGIC = b"\x7fELF"
X86_64 = "x86-64"
# e_machine of the ELF header (the System V ABI's list), for messages.
_MACHINES = {3: "x86 with 32 bits", 40: "Arm with 32 bits", 62: X86_64, 94: "Xtensa", 183: "Arm64",
             243: "RISC-V"}  # fmt: skip
# Folders may have blanks.
_LISTED = re.compile(r"^\s*(?:.+ => )?(/.+) \(0x[0-9a-f]+\)$")
_LISTED_MISSING = re.compile(r"^\s*(.+) => not found$")
_LOADED_MISSING = re.compile(r"loading shared libraries: (\S+): cannot open shared object")


def machine(head: bytes) -> str:
    """Return the machine that an ELF file is for, from its first 20 bytes: X86_64, or another."""
    if len(head) < 20:
        return "an unknown machine"
    order = "<" if head[5] == 1 else ">"
    (number,) = struct.unpack_from(f"{order}H", head, 18)
    name = _MACHINES.get(number, f"machine {number} of the ELF specification")
    return "x86-64 with 32-bit addresses" if name == X86_64 and head[4] != 2 else str(name)


def interpreter(path: Path) -> Path | None:
    """The loader that a 64-bit little-endian ELF program asks for (PT_INTERP); None if static."""
    with path.open("rb") as file:
        head = file.read(64)
        if head[:4] != b"\x7fELF" or head[4:6] != b"\x02\x01" or len(head) < 64:
            raise InputError(path, "", "is not a 64-bit ELF program", "check the tool on PATH")
        (table,) = struct.unpack_from("<Q", head, 32)
        entry_size, count = struct.unpack_from("<HH", head, 54)
        for number in range(count):
            file.seek(table + number * entry_size)
            entry = file.read(entry_size)
            kind, offset, size = struct.unpack("<I4xQ16xQ16x", entry)
            if kind == _PT_INTERP:
                file.seek(offset)
                return Path(file.read(size).rstrip(b"\0").decode())
    return None


@cache
def needed(path: Path, loader: Path, folders: str = "") -> tuple[Path, ...]:
    """The libraries that `loader` would map for `path`, sorted; without the loader itself.

    Args:
        folders: where it also searches (LD_LIBRARY_PATH).

    Raises:
        InputError: a library is missing, or the loader refuses the file.
    """
    command = [str(loader), "--glibc-hwcaps-mask", "none", "--list", str(path)]
    variables = {"LC_ALL": "C"} | ({"LD_LIBRARY_PATH": folders} if folders else {})
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    if run.returncode != 0:
        if "statically linked" in run.stderr + run.stdout:
            return ()
        if missing := _LOADED_MISSING.search(run.stderr):
            raise InputError(path, missing[1], "library not found", "reinstall the package")
        raise InputError(path, "", f"{loader} --list fails: {run.stderr.strip()}", "reinstall it")
    found = set()
    for line in run.stdout.splitlines():
        if missing := _LISTED_MISSING.match(line):
            raise InputError(path, missing[1], "library not found", "reinstall the package")
        if listed := _LISTED.match(line):
            found.add(Path(listed[1]))
    return tuple(sorted(found - {loader}))
