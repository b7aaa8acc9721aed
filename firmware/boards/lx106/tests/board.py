"""An emulated board and the other end of its Ethernet cable, for the tests in this folder.

Standard library only. The firmware under test is the file that the environment variable
THINWIRE_ELF names. The emulator is QEMU, or the program that THINWIRE_LX106 names (sim/lx106).
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

BOARD_MAC = bytes.fromhex("5ccf7f000001")
BOARD_IP = "10.77.0.2"
PEER_IP = "10.77.0.1"
NONCE = "5eed0001"

# Limit of wall time for operations that take at most seconds of virtual time.
PATIENCE_S = 60.0

Line = dict[str, Any]


def command(network: str, words: str, *, paced: bool = True) -> list[str]:
    """The command that starts a board with these configuration words on a network (QEMU's
    `-netdev`).
    """
    firmware = os.environ["THINWIRE_ELF"]
    if own := os.environ.get("THINWIRE_LX106"):
        return [own, "--netdev", network, *([] if paced else ["--unpaced"]), firmware, words]
    return [
        "qemu-system-xtensa",
        *("-M", "lx60-nommu", "-cpu", "lx106", "-m", "4", "-nodefaults", "-display", "none"),
        *("-icount", f"shift=4,sleep={'on' if paced else 'off'}", "-semihosting"),
        *("-kernel", firmware, "-append", words),
        *("-netdev", f"{network},id=cable", "-net", "nic,netdev=cable,model=open_eth"),
    ]


class Board:
    """A running board: its log as parsed lines, its Ethernet frames as bytes.

    `paced` ties the board's clock to the wall clock while it is idle, as a peer in Python needs;
    otherwise an idle board jumps from timer to timer.
    """

    def __init__(self, configuration: str, *, paced: bool = True) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="thinwire-board-")
        here = Path(self._folder.name)
        self._log = here / "board.log"
        self._board_socket = str(here / "board")
        self._cable = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._cable.bind(str(here / "peer"))
        network = (
            f"dgram,local.type=unix,local.path={self._board_socket},"
            f"remote.type=unix,remote.path={here / 'peer'}"
        )
        words = f"nonce={NONCE} {configuration}"
        with self._log.open("ab") as log:
            self._emulator = subprocess.Popen(command(network, words, paced=paced), stdout=log)

    def __enter__(self) -> Board:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._emulator.kill()
        self._emulator.wait()
        self._cable.close()
        self._folder.cleanup()

    def lines(self) -> list[Line]:
        """The log so far; a line still being written is left out."""
        return [json.loads(line) for line in self.text().split("\n")[:-1]]

    def text(self) -> str:
        """The raw text of the log."""
        return self._log.read_text(encoding="utf-8")

    def wait_for(self, wanted: Callable[[Line], bool], *, after: int = 0) -> int:
        """Waits for a line of the log from number `after` on; returns its number."""
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            for number, line in enumerate(self.lines()):
                if number >= after and wanted(line):
                    return number
            if self._emulator.poll() is not None:
                raise AssertionError(f"the emulator ended with status {self._emulator.returncode}")
            time.sleep(0.05)
        raise AssertionError(f"no such line within {PATIENCE_S} s; the log is {self.lines()}")

    def wait_for_event(self, event: str, *, after: int = 0) -> int:
        """Waits for a line with this `ev`; returns its number."""
        return self.wait_for(lambda line: line["ev"] == event, after=after)

    def send(self, frame: bytes) -> None:
        """Sends a frame to the board; it is lost if the board's socket has no room."""
        try:
            self._cable.sendto(frame, socket.MSG_DONTWAIT, self._board_socket)
        except BlockingIOError:
            time.sleep(0.001)

    def receive(self, timeout_s: float) -> bytes | None:
        """The next frame from the board, or None."""
        readable, _, _ = select.select([self._cable], [], [], timeout_s)
        return self._cable.recv(2048) if readable else None

    def receive_until(self, wanted: Callable[[bytes], bool]) -> bytes:
        """The next frame that is wanted; others are dropped."""
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            frame = self.receive(0.2)
            if frame is not None and wanted(frame):
                return frame
        raise AssertionError(f"no such frame within {PATIENCE_S} s; the log is {self.lines()}")


def configuration(**words: str | int) -> str:
    """A configuration line with the addresses of this module and the given words."""
    base: dict[str, str | int] = {
        "id": "b1",
        "mac": ":".join(f"{byte:02x}" for byte in BOARD_MAC),
        "ip": BOARD_IP,
        "peer": PEER_IP,
        "seed": 7,
        "proto": "mqtt",
        "port": 1883,
    }
    return " ".join(f"{key}={value}" for key, value in (base | words).items())
