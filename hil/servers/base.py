"""What a server is, and its log: one JSON object per line."""

from __future__ import annotations

import json
import re
import signal
import socket
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from hil.testbeds import processes

# The two payload forms of firmware/core/workload.h: "ID SEQ T_US[ ...]" and "ID:SEQ...".
_LONG = re.compile(rb"^(\S+) (\d+) (\d+) ?\.*$")
_COMPACT = re.compile(rb"^([^:]*):(\d+)\.*$")


def sequence(payload: bytes) -> int | None:
    """The sequence number in a payload of the workload; None for foreign bytes."""
    if found := _LONG.match(payload) or _COMPACT.match(payload):
        return int(found[2])
    return None


def stamp_text(stamp: int) -> str:
    """A wall clock stamp in ns as logs have it: seconds, always of the same width."""
    seconds, fraction = divmod(stamp, 1_000_000_000)
    return f"{seconds}.{fraction:09}"


class Log:
    """Collects what a server saw. Lines are written at the end: a trial must not wait for them.

    Use as a context manager around the server's life.
    """

    def __init__(self, server: str, file: Path) -> None:
        self.server, self._file = server, file
        self._seen: list[tuple[int, str, bytes, dict[str, Any]]] = []

    def received(self, payload: bytes, time_ns: int | None = None, **more: Any) -> None:
        """Note an arrived payload (at `time_ns`, else now) with further fields."""
        stamp = time.time_ns() if time_ns is None else time_ns
        self._seen.append((stamp, "received", payload, more))

    def note(self, event: str, **more: Any) -> None:
        """Note another event."""
        self._seen.append((time.time_ns(), event, b"", more))

    def write(self) -> None:
        """Append all lines to the file, in the order of their stamps; a restarted server goes on
        in the file of its predecessor."""
        with self._file.open("a", encoding="utf-8") as file:
            for stamp, event, payload, more in sorted(self._seen, key=lambda seen: seen[0]):
                fields: dict[str, Any] = {"server": self.server, "ev": event}
                if event == "received":
                    seq = sequence(payload)
                    fields |= {} if seq is None else {"seq": seq}
                    fields["bytes"] = len(payload)
                text = json.dumps(fields | more, separators=(",", ":"))[1:]
                file.write(f'{{"t":{stamp_text(stamp)},{text}\n')


class Stop(BaseException):
    """Raised inside a server process by SIGTERM."""


def stop_on_sigterm() -> None:
    """Make SIGTERM raise Stop in this process."""

    def handler(number: int, frame: object) -> None:
        raise Stop

    signal.signal(signal.SIGTERM, handler)


class Server(ABC):
    """A peer of the device. `start` returns once it can be reached; `stop` once its log is written.

    Attributes:
        name: as in server.jsonl.
        log: the file with its lines, after `stop`.
        children: its processes, in the order of their start.
        front: the place among them of the one that the device talks to.
    """

    name: str
    front = 0

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
