"""What memory do libraries of other authors take on the LX106, beside this project's engines?
`python -m hil.selfcheck.library_memory [LIBRARY...]`, or all of them, with the engines

It builds an image with one engine or library each, and runs a trial with it: 100 messages of 30
bytes, ten a second. The table is comma-separated: flash and static data RAM of the image, the heap
that it leaves, and the least of heap and stack that stayed free. A library whose source is not at
hand is left out, which is said on standard error.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hil.base.documents import read_lines
from hil.base.errors import InputError, ThinwireError, TrialError, print_error
from hil.base.paths import ROOT
from hil.base.schema import nearest
from hil.design import libraries
from hil.design.parameters import effective
from hil.design.protocols import modes
from hil.design.trials import Trial
from hil.system import scratch
from hil.testbeds import runner

BUILD = ROOT / "build" / "firmware" / "lx106"
SIZES = ROOT / "firmware" / "boards" / "lx106" / "size_report.py"
COMMON = {"link": "netem", "delay_ms": 2, "payload_bytes": 30, "interval_ms": 100, "messages": 100}
COLUMNS = (
    "image", "mode", "flash_bytes", "static_ram_bytes", "heap_bytes", "heap_free_min_bytes",
    "stack_free_min_bytes",
)  # fmt: skip


def built(target: str) -> Path | None:
    """Build an image; None if there is no source for it."""
    done = subprocess.run(
        ["cmake", "--build", BUILD, "--target", target], capture_output=True, text=True, check=False
    )
    if done.returncode and "unknown target" in done.stdout + done.stderr:
        print(f"library_memory: {target} is left out: no source", file=sys.stderr)
        return None
    if done.returncode:
        raise TrialError(f"{target} cannot be built: {done.stderr or done.stdout}")
    return BUILD / f"{target}.elf"


def sizes(image: Path) -> tuple[str, str]:
    """Return flash and static data RAM of an image, in bytes."""
    command = [sys.executable, "-B", SIZES, "--memory", image]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    _, flash, _, ram, _ = text.splitlines()[1].split(",")
    return flash, ram


def marks(image: Path, mode: str, out: Path) -> tuple[int, int, int]:
    """Run a trial; return the heap, and the least of heap and stack that was free, in bytes."""
    parameters = effective(COMMON | {"mode": mode}, "library_memory")
    trial = Trial("library-memory", {"image": image.stem, "mode": mode}, 1, parameters)
    done = runner.run(trial, runner.testbed("virtual", machine="uml"), out, device=image)
    if done.outcome != "ok":
        raise TrialError(f"{done.folder}: {done.reason}")
    events: dict[str, Any] = {
        line["ev"]: line for line, _ in read_lines(done.folder / "board.jsonl")
    }
    stat = events["stat"]
    return events["boot"]["heap_bytes"], stat["heap_free_min"], stat["stack_free_min"]


def measured(target: str, spoken: list[str], out: Path) -> list[tuple[object, ...]]:
    """Return the rows of an image by mode; none if there is no source for it."""
    if not (image := built(target)):
        return []
    size = sizes(image)
    return [(target, mode, *size, *marks(image, mode, out)) for mode in spoken]


def rows(out: Path) -> list[tuple[object, ...]]:
    """Return the table: each protocol's engine, then its libraries, by mode."""
    found: list[tuple[object, ...]] = []
    named = {name: libraries.LIBRARIES[name].modes for name in libraries.on("lx106")}
    for protocol in sorted({modes()[mode][0].name for each in named.values() for mode in each}):
        own = {
            f"thinwire-{protocol}": [name for name in modes() if modes()[name][0].name == protocol]
        }
        others = {
            f"thinwire-{name}": list(each)
            for name, each in named.items()
            if modes()[each[0]][0].name == protocol
        }
        for target, spoken in (own | others).items():
            found += measured(target, spoken, out)
    return found


def chosen(names: list[str], out: Path) -> list[tuple[object, ...]]:
    """Return the rows of these libraries.

    Raises:
        InputError: one of them is no library of the board.
    """
    known = libraries.on("lx106")
    for name in names:
        if name not in known:
            raise InputError("library_memory", name, "no such library", nearest(name, known))
    return [
        row
        for name in names
        for row in measured(f"thinwire-{name}", list(libraries.LIBRARIES[name].modes), out)
    ]


def main(names: list[str]) -> int:
    """Print the table."""
    try:
        with scratch.folder("library-memory-") as out:
            table = chosen(names, out) if names else rows(out)
    except ThinwireError as error:
        return print_error(error)
    print(",".join(COLUMNS))
    for row in table:
        print(",".join(map(str, row)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
