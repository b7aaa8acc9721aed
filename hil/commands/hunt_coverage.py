"""What a search of `thinwire hunt` has executed of each function of the device's firmware.

`coverage.csv` has a row for each function with a name, by address: `function`; `file`, of a static
one; `address`, hexadecimal; `bytes`; `executed_bytes`, of its instructions that some trial of the
search has executed.
"""

from __future__ import annotations

import bisect
import csv
import io
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from hil.commands import hunt_state
from hil.rig.boards import lx106_image, lx106_symbols

FILE = "coverage.csv"


@dataclass(frozen=True)
class Function:
    """A row of the table."""

    function: str
    file: str
    address: str
    bytes: int
    executed_bytes: int


def table(image: Path, executed: Sequence[int]) -> list[Function]:
    """Return the functions of an image for the LX106; none of one that cannot be read.

    Args:
        executed: addresses of instructions, ascending.
    """
    lengths = lx106_image.lengths(image, executed)
    found = []
    for file, name, address, size in lx106_symbols.functions(image):
        begin, end = (bisect.bisect_left(executed, at) for at in (address, address + size))
        found.append(Function(name, file, f"{address:x}", size, sum(lengths[begin:end])))
    return found


def keep(image: Path, executed: Sequence[int], out: Path) -> list[Function]:
    """Return the table, and write it into the folder of a search; none if nothing is known.

    Raises:
        InputError: it cannot be written.
    """
    functions = table(image, executed) if executed else []
    if functions:
        _write(functions, out)
    return functions


def _write(functions: Sequence[Function], out: Path) -> None:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(field.name for field in fields(Function))
    rows.writerows(map(astuple, functions))
    hunt_state.write(text.getvalue(), out / FILE)
