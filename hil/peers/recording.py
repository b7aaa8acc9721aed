"""Base of the recorders behind brokers: connections, timestamps, termination, log.

A recorder implements a protocol without I/O. `follow` lets it answer, over as many connections as
needed. `collect` keeps the bytes of one connection with their timestamps and parses them at the
end, so that no timestamp includes the parsing of an earlier message.
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
_DRAIN_S = 10.0  # after SIGTERM: the longest silence of a broker

LOOPBACK = "127.0.0.1"


class Refused(ConnectionError):
    """The broker refuses the session or the subscription."""


class Recorder(Protocol):
    """A client's protocol. `ready`: it receives every message from now on. `drained`: the broker
    has answered `drain` and keeps no message for the recorder."""

    @property
    def ready(self) -> bool: ...

    @property
    def drained(self) -> bool: ...

    def greeting(self) -> bytes: ...

    def drain(self) -> bytes:
        """Return a request that the broker answers behind the messages that it delivers."""

    def feed(self, data: bytes, stamp: int) -> bytes: ...


class Termination:
    """SIGTERM as a readable socket, which can be waited for beside another one.

    A handler that raises can miss a process that is about to wait: Python runs the handler after
    the system call, which then has nothing to interrupt it. A byte in a socket is not lost.
    """

    def __init__(self) -> None:
        self._signalled, self._wakeup = socket.socketpair()
        self._wakeup.setblocking(False)
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        signal.set_wakeup_fd(self._wakeup.fileno())

    def wait(self, timeout_s: float) -> bool:
        """Wait for SIGTERM, or until the time has passed; return whether SIGTERM came."""
        return bool(select.select([self._signalled], [], [], timeout_s)[0])

    def chunks(self, connection: socket.socket) -> Iterator[tuple[int, bytes]]:
        """Yield received bytes with their time in ns until the connection ends, or until SIGTERM
        and no more bytes are waiting."""
        while connection in select.select([self._signalled, connection], [], [])[0]:
            if not (data := connection.recv(_CHUNK)):
                return
            yield time.time_ns(), data


def _join(
    recorder: Recorder, connection: socket.socket, chunks: Iterator[tuple[int, bytes]]
) -> None:
    """Send the greeting, and answer until the recorder is ready or the connection ends."""
    connection.sendall(recorder.greeting())
    while not recorder.ready and (chunk := next(chunks, None)):
        _answer(recorder, connection, *chunk)


def _answer(recorder: Recorder, connection: socket.socket, stamp: int, data: bytes) -> None:
    if answers := recorder.feed(data, stamp):
        connection.sendall(answers)


def _drain(recorder: Recorder, connection: socket.socket) -> None:
    """Answer until the broker keeps no message for the recorder or the connection ends."""
    connection.settimeout(_DRAIN_S)
    asked = False
    while not recorder.drained:
        if recorder.ready and not asked:
            connection.sendall(recorder.drain())
            asked = True
        if not (data := connection.recv(_CHUNK)):
            return
        _answer(recorder, connection, time.time_ns(), data)


def follow(
    recorder: Recorder,
    log: Log,
    port: int,
    ready: Path,
    retry_s: float,
    *,
    address: str = LOOPBACK,
) -> None:
    """Let the recorder log until SIGTERM; reconnect `retry_s` after a connection ends.

    After SIGTERM the recorder logs what the broker keeps for it, over a new connection if it has
    none. It stops if the broker is down or silent for `_DRAIN_S`.

    Raises:
        Refused: the broker refuses the recorder, which was never ready before.
    """
    end, last = Termination(), False
    while not (recorder.drained or last):
        last = end.wait(0)
        limit_s = _DRAIN_S if last else None
        with _unless_down(ready), socket.create_connection((address, port), limit_s) as connection:
            chunks = end.chunks(connection)
            _join(recorder, connection, chunks)
            if recorder.ready:
                ready.touch()
            for stamp, data in chunks:
                _answer(recorder, connection, stamp, data)
            if end.wait(0):
                _drain(recorder, connection)
        if not recorder.drained:
            end.wait(retry_s)
    log.write()


@contextlib.contextmanager
def _unless_down(ready: Path) -> Iterator[None]:
    """Ignore that the broker is down, or refuses a recorder that was ready once."""
    try:
        yield
    except Refused:
        if not ready.exists():
            raise
    except OSError:
        pass


def collect(recorder: Recorder, log: Log, port: int, ready: Path) -> None:
    """Let the recorder log until SIGTERM what one connection receives, without answering messages.

    After SIGTERM the recorder logs what the broker has yet to deliver: RabbitMQ may confirm a
    message before it delivers it.

    Raises:
        ConnectionError: the broker closes before the recorder is ready.
    """
    end = Termination()
    with socket.create_connection((LOOPBACK, port)) as connection:
        chunks = end.chunks(connection)
        _join(recorder, connection, chunks)
        if not recorder.ready:
            raise ConnectionError("the broker closes before its subscriber is ready")
        ready.touch()
        for stamp, data in list(chunks):
            recorder.feed(data, stamp)
        if end.wait(0):
            with _unless_down(ready):
                _drain(recorder, connection)
    log.write()
