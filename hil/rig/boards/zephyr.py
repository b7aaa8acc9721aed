"""Zephyr on its board native_sim: the firmware over Zephyr's own TCP/IP stack, as a process.

It is Ethernet and IP itself, at a TAP of the link. Its simulated time is held to the clock of the
world around it (firmware/boards/zephyr/native_sim/wire.c), so it cannot drift. Its configuration
comes over the console, which is its standard input and output; its random numbers follow the seed
that it is given.
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
    """The Zephyr tree that config.yaml names.

    Raises:
        InputError: it names none, or another folder.
    """
    place = Path(folder).absolute()
    if not folder or not (place / _PACKAGE).exists():
        said = f"'{folder}' is no Zephyr tree" if folder else "a study asks for the board zephyr"
        remedy = "name the folder of a Zephyr tree (docs/boards.md), or leave the study out"
        raise InputError("config.yaml", "zephyr", said, remedy)
    return place


class Zephyr(Board):
    """See the module; `log` is its standard output."""

    image = "zephyr"
    made_by = "firmware/boards/zephyr/build TREE, the folder of a Zephyr tree (docs/boards.md)"
    plug = Plug.TAP

    def __init__(self, folder: Path) -> None:
        self.log = folder / "board.jsonl"
        self._folder = folder
        self._child: processes.Child | None = None

    def power_on(self, firmware: Path, append: str, port: BoardPort) -> None:
        """Start the program with its configuration words on its console."""
        firmware.chmod(0o755)  # what an order brings is a plain file
        console = self._folder / "board.in"
        console.write_text(f"{append}\n", encoding="utf-8")
        seed = dict(word.split("=", 1) for word in append.split())["seed"]
        output = self._folder / "board.out"
        argv = [str(firmware), f"-seed={seed}"]
        self._child = processes.spawn(argv, port.namespace, output, self.log, given=console)

    def problem(self) -> str:
        """Why it ended, or an empty text."""
        if self._child is None or self._child.alive():
            return ""
        return f"zephyr ended with status {self._child.status}: {self._child.last_words()}"

    def power_off(self) -> None:
        if self._child is not None:
            self._child.stop(signal.SIGKILL)  # at another it writes into its log
