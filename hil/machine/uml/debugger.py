"""Connect a debugger outside of the machine `uml` with a board inside, while time stands still.

Time does not advance while a program inside computes. So the emulator of sim/lx106 waits for the
debugger without a system call: it reads a mailbox in its own memory until something has changed
(sim/lx106/src/gdb_mailbox.hpp). This module finds the mailbox in the memory of the machine's
processes, and copies bytes between it and the debugger's connection. Nothing inside notices.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hil.machine.uml import attach

# struct Mailbox.
_MAGIC = 0x786F626264677874
_HEADER = struct.Struct("<QQIIII")
_RUNS, _ASKS, _TELLS, _GONE = range(4)
_STATE, _INTERRUPT, _IN_SIZE, _IN = 16, 20, 24, 32
_ALIGNMENT, _ROOM = 64, 0x10000
_OUT = _IN + _ROOM
_ANSWERS_S, _LONGEST_PAUSE_S = 0.0001, 0.005
_CONTROL_C = b"\x03"
_KILLS = (b"$k#6b", b"$vKill")


@dataclass(frozen=True)
class Mailbox:
    """The mailbox at an address of the memory of process `pid` on this host.

    Raises:
        OSError: from each method once the process has ended.
    """

    pid: int
    address: int

    def _pread(self, size: int, offset: int) -> bytes:
        with Path(f"/proc/{self.pid}/mem").open("rb", buffering=0) as memory:
            return os.pread(memory.fileno(), size, self.address + offset)

    def _pwrite(self, content: bytes, offset: int) -> None:
        with Path(f"/proc/{self.pid}/mem").open("r+b", buffering=0) as memory:
            os.pwrite(memory.fileno(), content, self.address + offset)

    def state(self) -> int:
        """Return who may go on."""
        return int(struct.unpack("<I", self._pread(4, _STATE))[0])

    def take(self) -> bytes:
        """Return what the board has written."""
        size = _HEADER.unpack(self._pread(_HEADER.size, 0))[-1]
        return self._pread(min(size, _ROOM), _OUT) if size else b""

    def answer(self, content: bytes, state: int = _RUNS) -> None:
        """Write bytes for the board, and let it go on."""
        self._pwrite(content, _IN)
        self._pwrite(struct.pack("<I", len(content)), _IN_SIZE)
        self._pwrite(struct.pack("<I", state), _STATE)

    def interrupt(self) -> None:
        """Ask the running board to halt."""
        self._pwrite(struct.pack("<I", 1), _INTERRUPT)


@dataclass
class Session:
    """A debugger's session with the board of one trial; the block `beside` is the machine's life.

    Attributes:
        start: starts the debugger, given the path of the socket to connect to.
        folder: for the socket; its path is short.
        opened: whether the board has halted, so that the debugger was started.
        killed: whether the user has ended the trial.
        problem: why the debugger could not be used, or an empty text.
    """

    start: Callable[[Path], subprocess.Popen[bytes]]
    folder: Path
    opened: bool = False
    killed: bool = False
    problem: str = ""
    _over: threading.Event = field(default_factory=threading.Event)

    @property
    def reached(self) -> bool:
        """Whether the board has executed anything at the time to halt at, or later."""
        return self.opened

    @contextlib.contextmanager
    def beside(self, machine: int) -> Iterator[None]:
        """Serve the debugger in a thread while the machine, the process `machine`, runs."""
        with attach.served(self._over, lambda: self._serve(machine)):
            yield

    def _serve(self, machine: int) -> None:
        if (found := attach.find(machine, _MAGIC, _ALIGNMENT, self._over)) is None:
            return
        mailbox = Mailbox(*found)
        self.opened = True
        place = self.folder / "gdb"
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(place))
            listening.listen(1)
            debugger = self.start(place)
            try:
                connection = self._accept(listening, debugger)
                if connection is None:
                    mailbox.answer(b"", _GONE)
                else:
                    with connection, contextlib.suppress(OSError):
                        self._pass_on(connection, mailbox, machine)
            finally:
                debugger.wait()

    def _accept(
        self, listening: socket.socket, debugger: subprocess.Popen[bytes]
    ) -> socket.socket | None:
        """Return the debugger's connection; None if it ends without one."""
        while debugger.poll() is None:
            if select.select([listening], [], [], attach.SEARCH_S)[0]:
                return listening.accept()[0]
        return None

    def _pass_on(self, connection: socket.socket, mailbox: Mailbox, machine: int) -> None:
        """Copy bytes both ways until one end has gone.

        Raises:
            OSError: the board has ended.
        """
        said, pause_s = b"", _ANSWERS_S
        while True:
            state = mailbox.state()
            if state == _RUNS:
                if select.select([connection], [], [], pause_s)[0]:
                    content = connection.recv(_ROOM)
                    if not content:
                        self._let_go(mailbox)
                        return
                    if _CONTROL_C in content:
                        mailbox.interrupt()
                    said += content.replace(_CONTROL_C, b"")
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
                continue
            connection.sendall(mailbox.take())
            if state == _TELLS:
                mailbox.answer(b"")
            else:
                said = said or connection.recv(_ROOM)
                if any(word in said for word in _KILLS):
                    self.killed = True
                    os.killpg(machine, signal.SIGKILL)
                    return
                mailbox.answer(said, _RUNS if said else _GONE)
                said = b""
            pause_s = _ANSWERS_S

    def _let_go(self, mailbox: Mailbox) -> None:
        """Wait until the board halts again, and let it go on without a debugger."""
        while mailbox.state() == _RUNS:
            mailbox.interrupt()
            time.sleep(_LONGEST_PAUSE_S)
        mailbox.answer(b"", _GONE)
