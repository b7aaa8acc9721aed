"""What executes the LX106's firmware: QEMU, or the program of sim/lx106."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import ToolMissing
from hil.system import preloads, tools

CHIP_CLOCK = Path(__file__).with_name("chipclock.c")
CHIP_HZ = 80_000_000
# An ESP-12 does 121.88 iterations of CoreMark a second (reported in 2024 as issue 13 of the
# repository PaulStoffregen/CoreMark, for the Arduino core, which compiles with -Os and runs at
# CHIP_HZ). Compiled with -Os for this board an iteration is 328,029 instructions (counted): 2.00
# cycles each, waits for memory and cache included.
CYCLES_PER_INSTRUCTION = 2
INSTRUCTION_PS = round(CYCLES_PER_INSTRUCTION * 1e12 / CHIP_HZ)

DEFAULT = "lx106"
PROGRAMS = {"qemu": "qemu-system-xtensa"}
"""The programs of emulators that are not part of this project, by name."""
# The addresses that the firmware of a single board has executed, ascending: 32-bit little-endian
# numbers. The emulator `lx106` writes them at the end. They are no part of a bundle.
COVERAGE = "coverage.bin"
# QEMU's machine around the processor.
_MACHINE = "lx60-nommu"
_OWN = "sim/lx106/lx106"


@dataclass(frozen=True)
class Command:
    """The command of an emulator, and the library that is preloaded into it, if any."""

    argv: list[str]
    preload: Path | None = None


def _qemu(firmware: Path, config_line: str, netdev: str) -> Command:
    clock = preloads.library(CHIP_CLOCK)
    argv = [
        PROGRAMS["qemu"], "-M", _MACHINE, "-cpu", "lx106", "-m", "4",
        "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none",
        "-kernel", str(firmware), "-append", config_line,
        "-netdev", f"{netdev},id=n0", "-net", "nic,netdev=n0,model=open_eth",
        "-semihosting",
        "-plugin", f"file={clock},picoseconds={INSTRUCTION_PS}",
    ]  # fmt: skip
    return Command(argv, clock)


def _lx106(firmware: Path, config_line: str, netdev: str) -> Command:
    program = tools.built(_OWN) or Path(_OWN).name
    speed = ("--instruction-ps", str(INSTRUCTION_PS))
    return Command([program, "--netdev", netdev, *speed, str(firmware), config_line])


EMULATORS: dict[str, Callable[[Path, str, str], Command]] = {"qemu": _qemu, "lx106": _lx106}
"""By name: the command for a firmware, its configuration line and a network (QEMU's `-netdev`)."""


def joining(argv: Sequence[str]) -> list[str]:
    """Return the command of the emulator `lx106` whose radio joins a cell."""
    return [argv[0], "--join", *argv[1:]]


def debugged(argv: Sequence[str], halt_ps: int) -> list[str]:
    """Return the command of the emulator `lx106` that waits for a debugger at this time, in ps."""
    when = ("--halt-ps", str(halt_ps)) if halt_ps > 0 else ()
    return [argv[0], "--gdb", "memory", *when, *argv[1:]]


def covered(argv: Sequence[str], target: Path) -> list[str]:
    """Return the command of the emulator `lx106` that writes at the end what was executed."""
    return [argv[0], "--coverage", str(target), *argv[1:]]


def executed(coverage: bytes) -> array[int]:
    """Return the addresses in the contents of a file COVERAGE, which may end early."""
    found = array("I")
    found.frombytes(coverage[: len(coverage) // found.itemsize * found.itemsize])
    if sys.byteorder == "big":
        found.byteswap()
    return found


def together(boards: Sequence[tuple[Path, Sequence[str]]]) -> list[str]:
    """Return the command of the emulator `lx106` that runs several boards in one process, from the
    log and the command of each."""
    argv = [boards[0][1][0]]
    for number, (log, command) in enumerate(boards):
        argv += ["--next"] * (number > 0) + ["--log", str(log), *command[1:]]
    return argv


def need(emulator: str) -> None:
    """Check that an emulator is installed or built.

    Raises:
        ToolMissing: it is not.
    """
    if emulator in PROGRAMS:
        tools.program(PROGRAMS[emulator])
    if emulator == "lx106" and tools.built(_OWN) is None:
        remedy = f"run 'snakemake --cores all build/{_OWN}', or use --emulator qemu"
        raise ToolMissing(f"build/{_OWN}", "the emulator 'lx106'", remedy)
