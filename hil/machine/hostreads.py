"""Instructions by which a program may read what differs from run to run: random numbers and the
counter of cycles of the host's processor. The machine `uml` can refuse the counter and the
processor's features to programs (hil/machine/uml/processor.py), but random numbers never."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from hil.design.device import FOLDER
from hil.machine.symbols import Program, Programs

# Of the Intel 64 manual, volume 2: RDRAND and RDSEED of a register of 16, 32 or 64 bits are 0F C7
# with 6 or 7 in bits 3 to 5 of a byte whose bits 6 and 7 are set; RDTSC is 0F 31, RDTSCP 0F 01 F9.
_RANDOM = {
    "RDRAND": re.compile(rb"\x0f\xc7[\xf0-\xf7]"),
    "RDSEED": re.compile(rb"\x0f\xc7[\xf8-\xff]"),
}
_COUNTER = {"RDTSC": re.compile(rb"\x0f\x31"), "RDTSCP": re.compile(rb"\x0f\x01\xf9")}
_SHOWN = 3


def _found(program: Program, pattern: re.Pattern[bytes]) -> Iterator[str]:
    """Yield the functions of a program that have an instruction, each once."""
    seen = set()
    for begin, end in program.code():
        for hit in pattern.finditer(program.data, begin, end):
            place = program.place(hit.start())
            function = place.partition("+")[0] if "+" in place else place.partition(" ")[0]
            if function not in seen:
                seen.add(function)
                yield function


def instructions(package: Path, counter: bool) -> list[str]:
    """Return a line for each program of the user's folder in a package and each instruction that it
    may execute, with its functions. Bytes that only look like the instruction count, too.

    Args:
        counter: whether programs can read the host's counter of cycles.
    """
    lines = []
    for program in Programs.of([package]).found:
        if not program.name.startswith(f"{FOLDER}/"):
            continue
        for name, pattern in (_RANDOM | (_COUNTER if counter else {})).items():
            if places := list(_found(program, pattern)):
                more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
                lines.append(
                    f"{program.name} may execute {name}, in {', '.join(places[:_SHOWN])}{more}"
                )
    return lines
