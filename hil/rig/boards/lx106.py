"""The LX106 board: the ESP8266's processor, emulated.

The board's clock follows the clock of its surroundings, since a count of instructions alone would
drift from it. Its instructions still take the chip's time. In QEMU a plugin implements both
(chipclock.c): with `-icount` the clock would lose 0.27 ms per message in the machine `qemu`, and
gain 0.43 ms per message in `uml`, where computing takes no time. The log goes line by line to the
emulator's standard output, which is a file: a pipe that nobody reads would stall the emulator.

Firmware of the user's own (docs/try-lx106.md) runs on it as well. It may print any text, which is
kept; the board's own lines among it, and its events, go to the log.
"""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any, ClassVar

from hil.base.errors import TrialError
from hil.rig.boards import emulators, lx106_symbols, printed
from hil.rig.boards.base import Board
from hil.rig.links.base import BoardPort
from hil.system import container, processes

# The last word of the configuration line of a firmware of the user's own, before its arguments.
ARGUMENTS = "arguments="
_HEX = re.compile(r"[0-9a-f]{1,8}$")


class Lx106(Board):
    """An emulated board; `log` is its standard output, or what is taken from it."""

    image = "lx106"
    secure: ClassVar = {"1.2": "thinwire-secure.elf", "1.3": "thinwire-tls13.elf"}
    own_images: ClassVar = {"mqtt5": "thinwire-mqtt5.elf", "oscore": "thinwire-oscore.elf"}
    library_image = "thinwire-{library}.elf"
    made_by = (
        "setup/fetch && cmake -S firmware/boards/{image} -B build/firmware/{image} -G Ninja"
        " && cmake --build build/firmware/{image} --target {name}"
    )
    emulated = True
    # When it is switched on, in ns by the monotonic clock; None: by `power_on` itself.
    start_ns: int | None = None
    _child: processes.Child | None = None
    _reader: printed.Reader | None = None

    @classmethod
    def config(cls, document: dict[str, Any], nonce: str) -> str:
        """See the base class. A firmware of the user's own gets its arguments behind the words that
        the board needs."""
        if "device" not in document:
            return super().config(document, nonce)
        from hil.rig.boards import config  # noqa: PLC0415 - no part of the machine's image

        return config.image_words(document, nonce, ARGUMENTS)

    @classmethod
    def check(cls, firmware: Path) -> None:
        """See the base class."""
        from hil.rig.boards import lx106_image  # noqa: PLC0415 - no part of the machine's image

        lx106_image.check(firmware)

    def install(self, firmware: Path, config_line: str) -> None:
        """Prepare the reader of what a firmware of the user's own prints."""
        words = config_line.split(" ")
        if not any(word.startswith(ARGUMENTS) for word in words):
            return
        self.ends_itself = False
        self._firmware = firmware
        self._printed = self.folder / "board.printed"
        self._printed.write_bytes(b"")
        nonce = next(word for word in words if word.startswith("nonce=")).partition("=")[2]
        self._reader = printed.Reader(self._printed, self.log, nonce, board=True)

    def command(self, firmware: Path, config_line: str, port: BoardPort) -> emulators.Command:
        """Return the command that starts the firmware (an ELF file) with its configuration line.

        Raises:
            TrialError: the emulator or the image does not support what the trial needs.
        """
        command = emulators.EMULATORS[self.emulator](firmware, config_line, port.netdev)
        argv = command.argv
        if port.joins:
            if self.emulator != emulators.DEFAULT:
                problem = f"the emulator {self.emulator} has no radio that joins a cell"
                raise TrialError(f"{problem}; remove join, or use --emulator {emulators.DEFAULT}")
            argv = emulators.joining(argv)
        if self.halt_ps is not None:
            argv = emulators.debugged(argv, self.halt_ps)
        if self.start_ns is not None:
            argv = [argv[0], "--start-ns", str(self.start_ns), *argv[1:]]
        facts = self.facts
        if facts and (facts.resets_device or facts.clock_start_ms or facts.heap_bytes):
            from hil.rig.boards import lx106_state  # noqa: PLC0415 - loaded with faults alone

            argv = lx106_state.prepared(argv, self.emulator, firmware, facts)
        return emulators.Command(argv, command.preload)

    def power_on(self, firmware: Path, config_line: str, port: BoardPort) -> None:
        """Start the firmware (an ELF file) with its configuration line."""
        command = self.command(firmware, config_line, port)
        output = self.folder / "board.out"
        standard = self._printed if self._reader else self.log
        argv = command.argv
        # Boards that share a process have none, so that a first one that is debugged does as they.
        if self.emulator == emulators.DEFAULT and self.start_ns is None:
            argv = emulators.covered(argv, self.folder / emulators.COVERAGE)
        self._child = processes.spawn(argv, port.namespace, output, standard, command.preload)

    def problem(self) -> str:
        """Return why the emulator died, or the firmware ended with a failure; or an empty text."""
        if self._child is None:
            return ""
        if self._reader and (fault := self._take()):
            return fault
        if self._child.alive():
            return ""
        return f"{self._child.name} died with status {self._child.status}: " + (
            self._child.last_words()
        )

    def _take(self) -> str:
        """Take in what the firmware has printed since; return how it failed, or an empty text."""
        assert self._reader
        self._reader.take()
        if self._printed.stat().st_size > container.Limits.output_mib << 20:
            return f"the firmware printed more than {container.Limits.output_mib} MiB"
        if crash := self._reader.crash:
            return f"the firmware crashed: {crash.get('reason', 'unknown')}{self._place(crash)}"
        status = self.summary().get("status")
        return f"the firmware ended with status {status}" if status else ""

    def _place(self, crash: dict[str, Any]) -> str:
        """Return where the firmware crashed: its function, as far as the image knows it."""
        if "pc" not in crash:
            return f", {crash['detail']}" if "detail" in crash else ""
        pc = str(crash["pc"])
        name = lx106_symbols.function_at(self._firmware, int(pc, 16)) if _HEX.match(pc) else ""
        return f" in {name} (0x{pc})" if name else f" at 0x{pc}"

    def reset(self, power_lost: bool) -> None:
        """See the base class."""
        if self._child is not None:
            self._child.send(signal.SIGUSR2 if power_lost else signal.SIGUSR1)

    def power_off(self) -> None:
        """Stop the board, and keep what a firmware of the user's own printed."""
        if self._child is not None:
            self._child.stop(signal.SIGTERM)
        if self._reader:
            self._reader.take()
            self._reader.keep(self.folder / printed.BOARD_TEXT)

    def summary(self) -> dict[str, Any]:
        """Return how a firmware of the user's own ended, if it did."""
        last = self._reader.last if self._reader else None
        return {"status": last["status"]} if last and last["ev"] == "end" else {}
