"""A process that has loaded what a trial needs, and forks for each `thinwire` that a workflow runs.

A short trial takes less time than Python needs to load the program that runs it. So a Snakemake
that runs jobs on its own host keeps this process beside it: `workflow/scripts/start.py`, which a
rule calls in the place of `thinwire`, hands its words, folder, environment and open files over a
socket, and ends with the status that comes back. Where no such process answers, as on a node of a
cluster, it becomes `thinwire` itself.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
from typing import Any

from hil import cli

PLACE = "THINWIRE_FORKSERVER"  # the variable; its value is an abstract address (unix(7))
_LOADED = ("hil.commands.trial", "hil.testbeds.virtual")
_BACKLOG = 128
_MOST_BYTES = 1 << 20  # of a request: the environment, above all


def begin() -> None:
    """Start it, to end with this process, and tell by the environment where it listens."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    name = f"thinwire-forkserver-{os.getpid()}-{os.urandom(8).hex()}"
    listener.bind("\0" + name)
    listener.listen(_BACKLOG)
    with listener:
        numbers = [str(listener.fileno()), str(os.getpid())]
        subprocess.Popen(
            [sys.executable, "-m", "hil.commands.forkserver", *numbers],
            stdin=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
        )
    os.environ[PLACE] = name


def _own(connection: socket.socket) -> bool:
    """Whether this user is at the other end: an abstract address has no rights of a file."""
    size = struct.calcsize("3i")
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    return bool(struct.unpack("3i", peer)[1] == os.getuid())


def _run(connection: socket.socket, request: dict[str, Any], files: list[int]) -> int:
    """In the child: become the caller, as far as a process can, and do what it asks."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    # A caller that is ended closes the connection: that ends this process, too.
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETSIG, signal.SIGTERM)
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)
    try:
        return cli.main(request["words"])
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1


def _serve(connection: socket.socket) -> None:
    """Take a request of this user, and fork for it."""
    if not _own(connection):
        return
    text, files, _, _ = socket.recv_fds(connection, _MOST_BYTES, 3)
    try:
        if text and len(files) == 3 and os.fork() == 0:
            status = 3
            try:
                status = _run(connection, json.loads(text), files)
                sys.stdout.flush()
                sys.stderr.flush()
                connection.send(bytes([status]))
            finally:
                os._exit(status)
    finally:
        for file in files:
            os.close(file)


def main() -> None:
    """Serve on the socket with the number given, until the process with the other one is gone."""
    listener = socket.socket(fileno=int(sys.argv[1]))
    workflow = os.pidfd_open(int(sys.argv[2]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the children have it, too
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    for module in _LOADED:
        importlib.import_module(module)
    gc.freeze()
    while workflow not in (ready := select.select([listener, workflow], [], [])[0]):
        if listener in ready:
            connection, _ = listener.accept()
            with connection:
                _serve(connection)


if __name__ == "__main__":
    main()
