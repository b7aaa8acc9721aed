"""The LX106 board: the ESP8266's processor, emulated.

The board's clock is the clock of the world around it, not a count of its instructions alone, which
would drift from it; but its instructions take the chip's time. In QEMU a plugin sees to that
(chipclock.c): `-icount` falls behind for good in the machine `qemu` (0.27 ms per message), and in
`uml`, where computing takes no time, gains what it computes (0.43 ms per message). The log leaves
line by line through the emulator's standard output, a file: a pipe that nobody drains would stall
it.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import ClassVar

from hil.rig.boards import emulators
from hil.rig.boards.base import Board
from hil.rig.links.base import BoardPort
from hil.system import processes


class Lx106(Board):
    """An emulated board; `log` is its standard output."""

    image = "lx106"
    secure: ClassVar = {"1.2": "thinwire-secure.elf", "1.3": "thinwire-tls13.elf"}
    emulator = emulators.DEFAULT

    def __init__(self, folder: Path) -> None:
        self.log = folder / "board.jsonl"
        self._output = folder / "board.out"
        self._child: processes.Child | None = None

    def power_on(self, firmware: Path, append: str, port: BoardPort) -> None:
        """Start the firmware (an ELF file) with its configuration words."""
        command = emulators.EMULATORS[self.emulator](firmware, append, port.netdev)
        self._child = processes.spawn(
            command.argv, port.namespace, self._output, self.log, command.preload
        )

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
