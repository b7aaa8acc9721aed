"""The LX106 board: the ESP8266's processor under qemu-system-xtensa.

The board's clock is the clock of the world around it, not a count of its instructions: with
`-icount` a board that cannot keep the counted pace falls behind for good (measured: 0.27 ms per
message) and then measures round trips shorter than the link's own delay. The log leaves through a
file: a socket that nobody drains would stall the board.
"""

from __future__ import annotations

import signal
from pathlib import Path

from hil.rig.links.base import BoardPort
from hil.system import processes


class Lx106:
    """One board. Attributes: `log`, the file its serial port writes."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "board.jsonl"
        self._output = folder / "board.out"
        self._child: processes.Child | None = None

    def power_on(self, firmware: Path, append: str, port: BoardPort) -> None:
        """Start the firmware (an ELF file) with its configuration words."""
        argv = [
            "qemu-system-xtensa", "-M", "lx60-nommu", "-cpu", "lx106", "-m", "4",
            "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none",
            "-kernel", str(firmware), "-append", append,
            "-netdev", f"{port.netdev},id=n0", "-net", "nic,netdev=n0,model=open_eth",
            "-serial", f"file:{self.log}",
        ]  # fmt: skip
        self._child = processes.spawn(argv, port.namespace, self._output)

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
