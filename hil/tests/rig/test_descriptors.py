"""Does a server without descriptors keep its connections, and take no new one?"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from hil.rig import descriptors

# Accepts connections, and answers each byte by how many it could not accept. Its first connection
# has a high descriptor: a file below it was closed.
SERVER = """
import selectors, socket, sys
spare = open("/dev/null")
sockets, chosen, failed = [], selectors.DefaultSelector(), 0
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
chosen.register(listener, selectors.EVENT_READ)
while True:
    for key, _ in chosen.select():
        if key.fileobj is listener:
            try:
                sockets.append(listener.accept()[0])
                chosen.register(sockets[-1], selectors.EVENT_READ)
            except OSError as error:
                failed += 1
                print(error.errno, flush=True)
                chosen.unregister(listener)
            continue
        if not key.fileobj.recv(1):
            chosen.unregister(key.fileobj)
            key.fileobj.close()
            chosen.get_map().get(listener) or chosen.register(listener, selectors.EVENT_READ)
        else:
            key.fileobj.send(b"x")
"""
_EMFILE = 24


@pytest.fixture
def server() -> Iterator[tuple[subprocess.Popen[str], int]]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        yield process, int(process.stdout.readline())
        process.kill()


def connected(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.settimeout(10)
    return connection


def answers(connection: socket.socket) -> bool:
    connection.send(b"?")
    return connection.recv(1) == b"x"


def test_open_connections_go_on_and_no_new_one_is_accepted(
    server: tuple[subprocess.Popen[str], int],
) -> None:
    process, port = server
    assert process.stdout
    with connected(port) as old:
        assert answers(old)
        before = descriptors.exhaust(process.pid)
        with connected(port):  # by the kernel, into the backlog
            assert int(process.stdout.readline()) == _EMFILE
            assert answers(old)
        descriptors.restore(process.pid, before)


def test_the_place_of_a_connection_that_ended_is_not_free(
    server: tuple[subprocess.Popen[str], int],
) -> None:
    process, port = server
    assert process.stdout
    with connected(port) as old, connected(port) as other:
        assert answers(old) and answers(other)
        before = descriptors.exhaust(process.pid)
        old.close()
        with connected(port):
            assert int(process.stdout.readline()) == _EMFILE
            descriptors.restore(process.pid, before)
            other.close()
        with connected(port) as after:
            assert answers(after)


def test_the_limits_are_as_before_afterwards() -> None:
    import resource  # noqa: PLC0415 - of the system under test

    limits = resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE)
    waits = "print(flush=True); input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", waits], **pipes) as process:
        process.stdout.readline()  # while it starts, it opens files
        before = descriptors.exhaust(process.pid)
        assert resource.prlimit(process.pid, resource.RLIMIT_NOFILE)[0] <= 4
        descriptors.restore(process.pid, before)
        assert resource.prlimit(process.pid, resource.RLIMIT_NOFILE) == before == limits
