"""Zephyr on its board native_sim: the firmware over Zephyr's own TCP/IP stack, as a process.

It runs its own Ethernet and IP at a TAP of the link. Its simulated time is held to the clock of its
surroundings (firmware/boards/zephyr/native_sim/wire.c), so it cannot drift. Its console, which is
its standard input and output, receives the configuration. Its random numbers follow the trial's
seed.
"""

from __future__ import annotations

import signal
from pathlib import Path

from hil.base.errors import InputError
from hil.rig.boards.base import Board
from hil.rig.links.base import BoardPort, Plug
from hil.system import processes

_PACKAGE = "share/zephyr-package/cmake/ZephyrConfig.cmake"


def tree(folder: str) -> Path:
    """Return the Zephyr tree that config.yaml names.

    Raises:
        InputError: config.yaml names none, or a folder that is no Zephyr tree.
    """
    path = Path(folder).absolute()
    if not folder or not (path / _PACKAGE).exists():
        problem = f"'{folder}' is no Zephyr tree" if folder else "a study asks for the board zephyr"
        remedy = "name the folder of a Zephyr tree (docs/boards.md), or leave the study out"
        raise InputError("config.yaml", "zephyr", problem, remedy)
    return path


class Zephyr(Board):
    """See the module; `log` is its standard output."""

    image = "zephyr"
    made_by = "firmware/boards/zephyr/build TREE, the folder of a Zephyr tree (docs/boards.md)"
    plug = Plug.TAP
    _child: processes.Child | None = None

    def power_on(self, firmware: Path, config_line: str, port: BoardPort) -> None:
        """Start the program and send the configuration line to its console."""
        firmware.chmod(0o755)  # a request brings a plain file
        console = self.folder / "board.in"
        console.write_text(f"{config_line}\n", encoding="utf-8")
        seed = dict(word.split("=", 1) for word in config_line.split())["seed"]
        output = self.folder / "board.out"
        argv = [str(firmware), f"-seed={seed}"]
        self._child = processes.spawn(argv, port.namespace, output, self.log, given=console)

    def problem(self) -> str:
        """Return why it ended, or an empty text."""
        if self._child is None or self._child.alive():
            return ""
        return f"zephyr ended with status {self._child.status}: {self._child.last_words()}"

    def power_off(self) -> None:
        if self._child is not None:
            self._child.stop(signal.SIGKILL)  # any other signal makes it write to its log
