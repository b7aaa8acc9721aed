"""Machines whose servers run and that wait to be copied for each trial (setup/uml/freeze.c).

A copy has the memory that a machine has when its servers run, so its trial has the same bytes as
one in a machine of its own. A process that runs many trials keeps such machines, one of each kind.
They listen at a socket in the abstract namespace, where processes that it forks find them, too.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import signal
import socket
import struct
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hil.machine.uml import cpus
from hil.system import retry, scratch

IMAGE, CONSOLE = "image.cpio", "console"
# Memory that a machine has used when its servers run: 40 MiB, with RabbitMQ 140 MiB.
_EACH_BYTES = 64 << 20
_NUMBER = struct.Struct("i")  # what a copy is ordered by, and what it answers (setup/uml/serve.c)
_BACKLOG = 128
_ANSWER_S = 300.0  # until a machine has started its servers and copied itself, on a busy host


@dataclass(frozen=True)
class Kind:
    """What determines a machine up to its trial.

    Attributes:
        program: the kernel.
        words: its options and command line.
        archive: the image.
        memory: the folder for the file that is its memory.
    """

    program: str
    words: tuple[str, ...]
    archive: str
    memory: str

    def digest(self) -> str:
        """Return a name that no other kind has."""
        return hashlib.sha256(json.dumps(dataclasses.astuple(self)).encode()).hexdigest()[:16]


def begin(
    kind: Kind, folder: Path, cpu: int, listener: socket.socket | None = None
) -> subprocess.Popen[bytes]:
    """Start a machine as a process in `folder` and on `cpu`. Its console is a file. With `listener`
    it waits to be copied once its servers run."""
    # It takes 40 ms, and commands load this module that start no machine.
    from hil.machine.uml import kernel as kernels  # noqa: PLC0415

    at = kind.words.index("--")
    waits = [] if listener is None else [f"lab_freeze={listener.fileno()}"]
    (folder / IMAGE).symlink_to(kind.archive)
    with (folder / CONSOLE).open("wb") as console:
        process = subprocess.Popen(
            retry.die_with_parent([kind.program, *kind.words[:at], *waits, *kind.words[at:]]),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=kernels.surroundings(folder, Path(kind.memory)),
            pass_fds=[] if listener is None else [listener.fileno()],
        )
    with contextlib.suppress(ProcessLookupError):
        os.sched_setaffinity(process.pid, {cpu})
    return process


class Copy:
    """A copy of a machine, as a process, with methods of subprocess.Popen. Its number stays its own
    until `poll` or `wait` has returned its exit status."""

    def __init__(self, connection: socket.socket, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._connection = connection

    def fileno(self) -> int:
        """Return the number of a file that is readable when the process has ended."""
        return self._connection.fileno()

    def poll(self) -> int | None:
        """Return the exit status, or None while the process runs."""
        return self._status(socket.MSG_DONTWAIT)

    def wait(self) -> int:
        """Wait for the end of the process, and return the exit status."""
        status = self._status(0)
        assert status is not None
        return status

    def _status(self, how: int) -> int | None:
        if self.returncode is None:
            try:
                said = self._connection.recv(_NUMBER.size, how)
            except BlockingIOError:
                return None
            except ConnectionResetError:
                said = b""
            # No answer: the process beside it that waits for its end was killed, and it with that.
            self.returncode = int(_NUMBER.unpack(said)[0]) if said else -signal.SIGKILL
            self._connection.close()
        return self.returncode


def _copied(address: str, folder: Path, cpu: int) -> Copy:
    """Return a copy of the machine that listens at `address`.

    Raises:
        OSError: none does, or it ended.
    """
    with contextlib.ExitStack() as files:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        files.callback(connection.close)
        connection.settimeout(_ANSWER_S)
        connection.connect(address)
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        console = os.open(folder / CONSOLE, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            socket.send_fds(connection, [_NUMBER.pack(cpu)], [place, console])
        finally:
            os.close(place)
            os.close(console)
        if not (said := connection.recv(_NUMBER.size)):
            raise ConnectionResetError
        connection.settimeout(None)
        files.pop_all()
    return Copy(connection, int(_NUMBER.unpack(said)[0]))


def _most(memory: Path) -> int:
    """Return how many machines are kept: as many as fit into an eighth of this host's memory and
    of the file system for their memory."""
    return max(1, cpus.room_bytes(memory) // 8 // _EACH_BYTES)


class Keeper:
    """Keeps a machine of each kind that was asked for, as far as there is memory for them. A
    machine ends with the thread that started it, so one thread, which outlives the trials, calls
    `start`."""

    def __init__(self) -> None:
        self.name = f"thinwire-frozen-{os.getpid()}-{os.urandom(8).hex()}"
        self._running: dict[Kind, subprocess.Popen[bytes]] = {}
        self._folders = contextlib.ExitStack()

    def start(self, kind: Kind, cpu: int) -> None:
        """Start a machine of this kind on `cpu`, unless one runs or no further one is kept.

        Raises:
            ToolMissing: see `begin`.
        """
        known = self._running.get(kind)
        if known and known.poll() is None:
            return
        if not known and len(self._running) >= _most(Path(kind.memory)):
            return
        folder = self._folders.enter_context(scratch.folder())
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(_address(self.name, kind))
            listener.listen(_BACKLOG)
            self._running[kind] = begin(kind, folder, cpu, listener)

    def close(self) -> None:
        """End the machines, and the copies that still run."""
        for process in self._running.values():
            process.kill()
            process.wait()
        self._folders.close()


def _address(name: str, kind: Kind) -> str:
    return f"\0{name}-{kind.digest()}"


# Whose machines the trials of this process are copies of, and what starts one there.
_used: tuple[str, Callable[[Kind, int], None]] | None = None


def use(name: str, start: Callable[[Kind, int], None]) -> None:
    """Run the trials of this process, and of those that it forks, as copies of the machines of the
    keeper `name`. `start` makes it start one."""
    global _used  # noqa: PLW0603 - a state of the process, as its signal handlers are
    _used = (name, start)


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Run the trials of a block as copies of machines that end with it, unless they are copies
    anyway."""
    global _used  # noqa: PLW0603 - see `use`
    if _used is not None:
        yield
        return
    # It takes 10 ms, see `begin`.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    keeper = Keeper()
    with ThreadPoolExecutor(1) as starter:
        use(keeper.name, lambda kind, cpu: starter.submit(keeper.start, kind, cpu).result())
        try:
            yield
        finally:
            _used = None
            keeper.close()


def copy(kind: Kind, folder: Path, cpu: int) -> Copy | None:
    """Return a copy of a machine of this kind that runs in `folder` on `cpu`; None if no machines
    are kept, or this one could not be copied.

    Raises:
        ToolMissing: see `begin`.
    """
    if _used is None:
        return None
    name, start = _used
    with contextlib.suppress(OSError):
        return _copied(_address(name, kind), folder, cpu)
    with contextlib.suppress(OSError):
        start(kind, cpu)
        return _copied(_address(name, kind), folder, cpu)
    return None
