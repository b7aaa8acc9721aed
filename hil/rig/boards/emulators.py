"""What executes the LX106's firmware: QEMU, or the program of sim/lx106."""

from __future__ import annotations

from collections.abc import Callable
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
"""By name: the program of an emulator that is none of ours."""
# QEMU's board around the processor.
_MACHINE = "lx60-nommu"
_OWN = "sim/lx106/lx106"


@dataclass(frozen=True)
class Command:
    """What starts an emulator, and the library that is loaded into it first, if any."""

    argv: list[str]
    preload: Path | None = None


def _qemu(firmware: Path, append: str, netdev: str) -> Command:
    clock = preloads.library(CHIP_CLOCK)
    argv = [
        PROGRAMS["qemu"], "-M", _MACHINE, "-cpu", "lx106", "-m", "4",
        "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none",
        "-kernel", str(firmware), "-append", append,
        "-netdev", f"{netdev},id=n0", "-net", "nic,netdev=n0,model=open_eth",
        "-semihosting",
        "-plugin", f"file={clock},picoseconds={INSTRUCTION_PS}",
    ]  # fmt: skip
    return Command(argv, clock)


def _lx106(firmware: Path, append: str, netdev: str) -> Command:
    program = tools.built(_OWN) or Path(_OWN).name
    speed = ("--instruction-ps", str(INSTRUCTION_PS))
    return Command([program, "--netdev", netdev, *speed, str(firmware), append])


EMULATORS: dict[str, Callable[[Path, str, str], Command]] = {"qemu": _qemu, "lx106": _lx106}
"""By name: the command for a firmware, its configuration words and a network (QEMU's `-netdev`)."""


def need(emulator: str) -> None:
    """Raises:
    ToolMissing: the emulator is not there.
    """
    if emulator in PROGRAMS:
        tools.program(PROGRAMS[emulator])
    if emulator == "lx106" and tools.built(_OWN) is None:
        remedy = f"run 'snakemake --cores all build/{_OWN}', or use --emulator qemu"
        raise ToolMissing(f"build/{_OWN}", "the emulator 'lx106'", remedy)
