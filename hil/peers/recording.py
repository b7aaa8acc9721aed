"""What the recorders behind brokers share: one connection after the other, a log at the end."""

from __future__ import annotations

import contextlib
import socket
import time
from pathlib import Path
from typing import Protocol

from hil.peers import base
from hil.peers.log import Log


class Recorder(Protocol):
    """A client's protocol without I/O. `ready`: from now on it misses nothing."""

    @property
    def ready(self) -> bool: ...

    def greeting(self) -> bytes: ...

    def feed(self, data: bytes, stamp: int) -> bytes: ...


def _stay(recorder: Recorder, port: int, ready: Path) -> None:
    """One connection, from its start to its end; OSError where there is no broker."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(recorder.greeting())
        while data := connection.recv(65536):
            if answers := recorder.feed(data, time.time_ns()):
                connection.sendall(answers)
            if recorder.ready:
                ready.touch()


def record(recorder: Recorder, log: Log, port: int, ready: Path, retry_s: float) -> None:
    """Let it log until SIGTERM, over as many connections as it takes, `retry_s` between two."""
    base.stop_on_sigterm()
    try:
        while True:
            with contextlib.suppress(OSError):  # the broker is down
                _stay(recorder, port, ready)
            time.sleep(retry_s)
    except base.Stop:
        log.write()
