"""The interface of a server."""

from __future__ import annotations

import contextlib
import os
import signal
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from hil.design.facts import Facts
from hil.system import processes

_LISTENS = "0A"  # the kernel's TCP_LISTEN


class Server(ABC):
    """A peer of the device. `start` returns once it is reachable, `stop` once its log is written.

    Attributes:
        name: as in server.jsonl.
        log: the path of its log, which is complete after `stop`.
        children: its processes, in the order of their start.
        front: the index of the child that the device talks to.
        times_ns: the times that it spends on successive messages (`set_processing_times`).
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
            TrialError: it does not start; has its last output.
        """

    def start_front(self) -> None:
        """Start the process that the device talks to, as the last of the children."""
        self.start()

    def make_durable(self) -> None:
        """Keep accepted messages across a restart, and log each of them.

        The rig calls it before the board starts if the server is restarted during the trial or the
        device keeps its session.
        """
        return

    def set_processing_times(self, times_ns: tuple[int, ...]) -> None:
        """Spend these times on successive messages, and do nothing else meanwhile.

        The rig calls it before the board starts, for servers with `time_us` in the table.
        """
        self.stop()
        self.children.clear()
        self.times_ns = times_ns
        self.start()

    def use(self, facts: Facts) -> None:
        """Apply the trial's parameters of this server. The rig calls it before the board starts."""
        return

    def equip(self, document: dict[str, Any], package: Path | None) -> None:
        """Take from the trial `document` (trial.json) and its package what this server runs. The
        rig calls it before `use`.

        Raises:
            TrialError: the server does not start with that.
            LabError: the laboratory cannot start it.
        """
        return

    def pause(self) -> None:
        """Suspend its processes until `stop`, so that another server has the processor alone."""
        for child in self.children:
            child.send(signal.SIGSTOP)

    def unpause(self) -> None:
        """Let its processes go on after `pause`."""
        for child in self.children:
            child.send(signal.SIGCONT)

    def crash(self) -> None:
        """Kill the process that the device talks to, as a power failure would."""
        self.children.pop(self.front).stop(signal.SIGKILL)

    def halt(self) -> None:
        """Stop the process that the device talks to by SIGTERM, as a service manager does."""
        self.children.pop(self.front).finish()

    def resume(self) -> None:
        """Start that process again, at its old index: `stop` keeps its order."""
        if os.getpid() == 1:  # the machine's first process inherited the halted one's children
            processes.reap()
        self.start_front()
        self.children.insert(self.front, self.children.pop())

    def problem(self) -> str:
        """Return which of its processes died; an empty text if none did."""
        for child in self.children:
            if not child.alive():
                return f"{child.name} died with status {child.status}: {child.last_words()}"
        return ""

    def stop(self) -> None:
        """Stop its processes, the last started first, once they have written their logs.

        Raises:
            TrialError: a process could not write its log.
        """
        for child in reversed(self.children):
            child.finish()

    def kill(self) -> None:
        """Kill its processes."""
        for child in reversed(self.children):
            child.stop(signal.SIGKILL)


def _bound(table: str, transport: str, port: int) -> bool:
    """Return whether a table of sockets (proc_pid_net(5)) has the port, for TCP as listening."""
    rows = [line.split() for line in table.splitlines()[1:]]
    return any(
        row[1].endswith(f":{port:04X}") and (transport == "udp" or row[3] == _LISTENS)
        for row in rows
    )


def wait_bound(child: processes.Child, transport: str, port: int, timeout_s: float = 20.0) -> None:
    """Wait until a port is bound (for TCP: listening) in a process's namespace; send no packet.

    Raises:
        TrialError: the process ends, or takes longer than `timeout_s`.
    """
    tables = [Path(f"/proc/{child.pid}/net/{transport}{kind}") for kind in ("", "6")]

    def bound() -> bool:
        for table in tables:
            with contextlib.suppress(OSError):  # the process has ended, or there is no IPv6
                if _bound(table.read_text(encoding="ascii"), transport, port):
                    return True
        return False

    child.wait_for(bound, timeout_s)
