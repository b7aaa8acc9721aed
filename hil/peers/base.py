"""What a server is."""

from __future__ import annotations

import contextlib
import signal
import socket
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from hil.system import processes


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

    def use(self, parameters: dict[str, Any]) -> None:
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


def accepts(address: str, port: int) -> bool:
    """True if something accepts TCP connections at the address, in this namespace."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((address, port)) == 0


def wait_bound(child: processes.Child, transport: str, port: int) -> None:
    """Wait until a port is bound in the namespace of a process, without a packet; TrialError if the
    process ends before or takes too long."""
    table = Path(f"/proc/{child.pid}/net/{transport}")

    def bound() -> bool:
        with contextlib.suppress(OSError):  # it has ended
            return f":{port:04X} " in table.read_text(encoding="ascii")
        return False

    child.wait_for(bound)


def wait_accepts(
    child: processes.Child, port: int, namespace: str, timeout_s: float = 20.0
) -> None:
    """Wait until a TCP server can be reached; TrialError if it ends before or takes too long."""

    def probe() -> None:
        while not accepts("127.0.0.1", port):
            time.sleep(0.02)

    prober = processes.fork("probe", probe, namespace, child.output.with_suffix(".probe"))
    try:
        child.wait_for(lambda: not prober.alive(), timeout_s)
    finally:
        prober.stop(signal.SIGKILL)
