"""The LX106 board: the ESP8266's processor, emulated.

The board's clock follows the clock of its surroundings, since a count of instructions alone would
drift from it. Its instructions still take the chip's time. In QEMU a plugin implements both
(chipclock.c): with `-icount` the clock would lose 0.27 ms per message in the machine `qemu`, and
gain 0.43 ms per message in `uml`, where computing takes no time. The log goes line by line to the
emulator's standard output, which is a file: a pipe that nobody reads would stall the emulator.
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
    emulated = True
    _child: processes.Child | None = None

    def power_on(self, firmware: Path, config_line: str, port: BoardPort) -> None:
        """Start the firmware (an ELF file) with its configuration line."""
        command = emulators.EMULATORS[self.emulator](firmware, config_line, port.netdev)
        output = self.folder / "board.out"
        self._child = processes.spawn(
            command.argv, port.namespace, output, self.log, command.preload
        )

    def problem(self) -> str:
        """Return why the emulator died, or an empty text."""
        if self._child is None or self._child.alive():
            return ""
        return f"{self._child.name} died with status {self._child.status}: " + (
            self._child.last_words()
        )

    def power_off(self) -> None:
        """Stop the board."""
        if self._child is not None:
            self._child.stop(signal.SIGTERM)
