"""What a server is."""

from __future__ import annotations

import contextlib
import os
import signal
from abc import ABC, abstractmethod
from pathlib import Path

from hil.design.facts import Facts
from hil.system import processes

_LISTENS = "0A"  # TCP_LISTEN of the kernel


class Server(ABC):
    """A peer of the device. `start` returns once it can be reached; `stop` once its log is written.

    Attributes:
        name: as in server.jsonl.
        log: the file with its lines, after `stop`.
        children: its processes, in the order of their start.
        front: the place among them of the one that the device talks to.
        times_ns: what it takes for one message after the other, over again (`take_time`).
    """

    name: str
    front = 0
    times_ns: tuple[int, ...] = ()

    def __init__(self, namespace: str, folder: Path) -> None:
        self.namespace, self.folder = namespace, folder
        self.children: list[processes.Child] = []

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.jsonl"

    @abstractmethod
    def start(self) -> None:
        """Start its processes.

        Raises:
            TrialError: it does not come up; with what it said.
        """

    def start_front(self) -> None:
        """Start the process that the device talks to, as the last of the children."""
        self.start()

    def make_durable(self) -> None:
        """Called before the device comes where this server will be restarted or the device keeps
        its session: from now on what it has accepted outlives its restart, and its log misses
        nothing because of it."""
        return

    def take_time(self, times_ns: tuple[int, ...]) -> None:
        """Called before the device comes: from now on it takes these times for one message after
        the other, and does nothing else meanwhile. For servers with `time_us` in the table."""
        self.stop()
        self.children.clear()
        self.times_ns = times_ns
        self.start()

    def use(self, facts: Facts) -> None:
        """Called before the device comes: what the trial's parameters say of this server counts
        from now on."""
        return

    def pause(self) -> None:
        """Let its processes rest until `stop`: another server's trial has the processor alone."""
        for child in self.children:
            child.send(signal.SIGSTOP)

    def halt(self) -> None:
        """Stop what the device talks to, as a service manager would: SIGTERM."""
        self.children.pop(self.front).finish()

    def resume(self) -> None:
        """Start it again, in its old place among the children: `stop` keeps its order."""
        if os.getpid() == 1:  # to the machine's first process the halted one's children were left
            processes.reap()
        self.start_front()
        self.children.insert(self.front, self.children.pop())

    def problem(self) -> str:
        """Which of its processes died, or an empty text."""
        for child in self.children:
            if not child.alive():
                return f"{child.name} died with status {child.status}: {child.last_words()}"
        return ""

    def stop(self) -> None:
        """Stop its processes, the last started first, once they have written their logs.

        Raises:
            TrialError: one of them could not.
        """
        for child in reversed(self.children):
            child.finish()

    def kill(self) -> None:
        """End its processes, whatever they do."""
        for child in reversed(self.children):
            child.stop(signal.SIGKILL)


def _bound(table: str, transport: str, port: int) -> bool:
    """Whether a table of sockets (proc_pid_net(5)) has the port; of TCP, listening."""
    rows = [line.split() for line in table.splitlines()[1:]]
    return any(
        row[1].endswith(f":{port:04X}") and (transport == "udp" or row[3] == _LISTENS)
        for row in rows
    )


def wait_bound(child: processes.Child, transport: str, port: int, timeout_s: float = 20.0) -> None:
    """Wait until a port is bound, of TCP one that listens, in the namespace of a process, without a
    packet; TrialError if the process ends before or takes too long."""
    tables = [Path(f"/proc/{child.pid}/net/{transport}{kind}") for kind in ("", "6")]

    def bound() -> bool:
        for table in tables:
            with contextlib.suppress(OSError):  # it has ended, or there is no IPv6
                if _bound(table.read_text(encoding="ascii"), transport, port):
                    return True
        return False

    child.wait_for(bound, timeout_s)
