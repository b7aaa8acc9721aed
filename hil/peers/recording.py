"""What the recorders behind brokers share: connections, stamps, the end, a log.

A recorder is its protocol without I/O. `follow` lets it answer what comes, over as many
connections as it takes; `collect` keeps one connection's bytes with their stamps, and hands them
over at the end: no message waits until the one before it was parsed.
"""

from __future__ import annotations

import contextlib
import select
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from hil.peers.log import Log

_CHUNK = 65536


class Recorder(Protocol):
    """A client's protocol. `ready`: from now on it misses nothing."""

    @property
    def ready(self) -> bool: ...

    def greeting(self) -> bytes: ...

    def feed(self, data: bytes, stamp: int) -> bytes: ...


class Termination:
    """SIGTERM as something to wait for beside a socket.

    An exception from a handler is lost to a process that is about to wait: the handler of Python
    runs after the system call, which nothing interrupts any more. A byte in a socket stays there.
    """

    def __init__(self) -> None:
        self._told, self._teller = socket.socketpair()
        self._teller.setblocking(False)
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        signal.set_wakeup_fd(self._teller.fileno())

    def wait(self, timeout_s: float) -> bool:
        """Wait for SIGTERM, or for the time to pass; True at SIGTERM."""
        return bool(select.select([self._told], [], [], timeout_s)[0])

    def chunks(self, connection: socket.socket) -> Iterator[tuple[int, bytes]]:
        """What comes, with its stamp in ns, until the connection ends, or at SIGTERM until all that
        has come was read."""
        while connection in select.select([self._told, connection], [], [])[0]:
            if not (data := connection.recv(_CHUNK)):
                return
            yield time.time_ns(), data


def _join(
    recorder: Recorder, connection: socket.socket, chunks: Iterator[tuple[int, bytes]]
) -> None:
    """Say what opens a connection, and answer until the recorder is ready or its broker gone."""
    connection.sendall(recorder.greeting())
    while not recorder.ready and (chunk := next(chunks, None)):
        _answer(recorder, connection, *chunk)


def _answer(recorder: Recorder, connection: socket.socket, stamp: int, data: bytes) -> None:
    if answers := recorder.feed(data, stamp):
        connection.sendall(answers)


def follow(recorder: Recorder, log: Log, port: int, ready: Path, retry_s: float) -> None:
    """Let it log until SIGTERM, over as many connections as it takes, `retry_s` between two."""
    end = Termination()
    while True:
        with (
            contextlib.suppress(OSError),  # the broker is down
            socket.create_connection(("127.0.0.1", port)) as connection,
        ):
            chunks = end.chunks(connection)
            _join(recorder, connection, chunks)
            if recorder.ready:
                ready.touch()
            for stamp, data in chunks:
                _answer(recorder, connection, stamp, data)
        if end.wait(retry_s):
            break
    log.write()


def collect(recorder: Recorder, log: Log, port: int, ready: Path) -> None:
    """Let it log until SIGTERM what comes over one connection, without an answer to any message.

    Raises:
        ConnectionError: the broker closes before the recorder is ready.
    """
    end = Termination()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        chunks = end.chunks(connection)
        _join(recorder, connection, chunks)
        if not recorder.ready:
            raise ConnectionError("the broker closes before its subscriber is ready")
        ready.touch()
        came = list(chunks)
    for stamp, data in came:
        recorder.feed(data, stamp)
    log.write()
