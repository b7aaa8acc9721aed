"""The LX106 board: the ESP8266's processor under qemu-system-xtensa.

The board's clock is the clock of the world around it, not a count of its instructions (`-icount`),
which would drift from it: in the machine `qemu` such a board falls behind for good (0.27 ms per
message), in `uml`, where computing takes no time, it gains what it computes (0.43 ms per message).
The plugin chipclock.c lets its instructions take the chip's time instead. The log leaves line by
line through the emulator's standard output, a file: a pipe that nobody drains would stall it.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import ClassVar

from hil.rig.boards.base import Board
from hil.rig.links.base import BoardPort
from hil.system import clibrary, processes

CHIP_CLOCK = Path(__file__).with_name("chipclock.c")
CHIP_HZ = 80_000_000
# An ESP-12 does 121.88 iterations of CoreMark a second (reported in 2024 as issue 13 of the
# repository PaulStoffregen/CoreMark, for the Arduino core, which compiles with -Os and runs at
# CHIP_HZ). Compiled with -Os for this board an iteration is 328,029 instructions (counted): 2.00
# cycles each, waits for memory and cache included.
CYCLES_PER_INSTRUCTION = 2
INSTRUCTION_PS = round(CYCLES_PER_INSTRUCTION * 1e12 / CHIP_HZ)


class Lx106(Board):
    """An emulated board; `log` is its standard output.

    Attributes:
        machine: QEMU's board around the processor.
    """

    image = "lx106"
    secure: ClassVar = {"1.2": "thinwire-secure.elf", "1.3": "thinwire-tls13.elf"}
    machine = "lx60-nommu"

    def __init__(self, folder: Path) -> None:
        self.log = folder / "board.jsonl"
        self._output = folder / "board.out"
        self._child: processes.Child | None = None

    def power_on(self, firmware: Path, append: str, port: BoardPort) -> None:
        """Start the firmware (an ELF file) with its configuration words."""
        clock = clibrary.library(CHIP_CLOCK)
        argv = [
            "qemu-system-xtensa", "-M", self.machine, "-cpu", "lx106", "-m", "4",
            "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none",
            "-kernel", str(firmware), "-append", append,
            "-netdev", f"{port.netdev},id=n0", "-net", "nic,netdev=n0,model=open_eth",
            "-semihosting",
            "-plugin", f"file={clock},picoseconds={INSTRUCTION_PS}",
        ]  # fmt: skip
        self._child = processes.spawn(argv, port.namespace, self._output, self.log, clock)

    def problem(self) -> str:
        """Why the emulator died, or an empty text."""
        if self._child is None or self._child.alive():
            return ""
        return f"{self._child.name} died with status {self._child.status}: " + (
            self._child.last_words()
        )

    def power_off(self) -> None:
        """Stop the board."""
        if self._child is not None:
            self._child.stop(signal.SIGTERM)
