"""A fork server for the workflow: it has the laboratory loaded and forks for each command.

A short trial takes less time than Python needs to load the laboratory. So a Snakemake that runs
jobs on its own host starts this process. Rules call `workflow/scripts/start.py` instead of
`thinwire`. It sends its arguments, folder, environment and standard streams over a socket, and
exits with the status that it receives. If no server answers, as on a node of a cluster, it executes
`thinwire` itself. Trials in `uml` are copies of machines that the server keeps.
"""

from __future__ import annotations

import dataclasses
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
from hil.base.errors import ThinwireError
from hil.machine.uml import frozen

ADDRESS = "THINWIRE_FORKSERVER"  # the variable; its value is an abstract address (unix(7))
_LOADED = ("hil.commands.trial", "hil.testbeds.virtual")
_BACKLOG = 128
_MOST_BYTES = 1 << 20  # of a request, most of which is the environment


def begin() -> None:
    """Start the server, which ends with this process; put its address into the environment."""
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
    os.environ[ADDRESS] = name


def _own(connection: socket.socket) -> bool:
    """Return whether this user is the peer: an abstract address has no file permissions."""
    size = struct.calcsize("3i")
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    return bool(struct.unpack("3i", peer)[1] == os.getuid())


def _ask(kind: frozen.Kind, cpu: int) -> None:
    """In a child: let the server start a machine of this kind."""
    request = {"freeze": dataclasses.asdict(kind), "cpu": cpu}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect("\0" + os.environ[ADDRESS])
        connection.send(json.dumps(request).encode())
        connection.recv(1)


def _freeze(keeper: frozen.Keeper, given: dict[str, Any], cpu: int) -> None:
    # The machine would inherit that children are not waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        keeper.start(frozen.Kind(**given | {"words": tuple(given["words"])}), cpu)
    except (ThinwireError, OSError) as error:  # the trial then boots a machine of its own
        print(f"thinwire: no machine to copy: {error}", file=sys.stderr)
    finally:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def _run(connection: socket.socket, request: dict[str, Any], files: list[int]) -> int:
    """In the child: adopt the caller's streams, folder and environment, and run its command."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    # If the caller is killed, its connection closes, and SIGTERM ends this process.
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETSIG, signal.SIGTERM)
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)
    try:
        return cli.main(request["words"])
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1


def _serve(listener: socket.socket, connection: socket.socket, keeper: frozen.Keeper) -> None:
    """Receive a request of this user: fork for a command, or start a machine."""
    if not _own(connection):
        return
    text, files, _, _ = socket.recv_fds(connection, _MOST_BYTES, 3)
    try:
        request = json.loads(text)
        if "freeze" in request:
            _freeze(keeper, request["freeze"], request["cpu"])
        elif len(files) == 3 and os.fork() == 0:
            status = 3
            listener.close()  # else nobody would refuse a request after the end of the server
            try:
                status = _run(connection, request, files)
                sys.stdout.flush()
                sys.stderr.flush()
                connection.send(bytes([status]))
            finally:
                os._exit(status)
    except (KeyError, TypeError, ValueError):  # no request
        return
    finally:
        for file in files:
            os.close(file)


def main() -> None:
    """Serve on the socket with the first number until the process with the second one ends."""
    listener = socket.socket(fileno=int(sys.argv[1]))
    workflow = os.pidfd_open(int(sys.argv[2]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the children handle it
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are not waited for
    for module in _LOADED:
        importlib.import_module(module)
    gc.freeze()
    keeper = frozen.Keeper()
    frozen.use(keeper.name, _ask)
    while workflow not in (ready := select.select([listener, workflow], [], [])[0]):
        if listener in ready:
            connection, _ = listener.accept()
            with connection:
                _serve(listener, connection, keeper)
    keeper.close()


if __name__ == "__main__":
    main()
