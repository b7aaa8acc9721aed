"""Ports of 127.0.0.1 for the servers of tests."""

from __future__ import annotations

import contextlib
import random
import socket

# Below the ports that Linux gives to clients (ip_local_port_range), or one of these might be taken
# between the look and the start of the server.
_FIRST, _LAST = 20_000, 32_000
_reserved: list[socket.socket] = []  # their names are free again when this process has ended


def free_port(kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    """A port that nobody uses now, and that no other process of tests gets from here.

    The order is random, since other suites may run on this host; an abstract name of a Unix socket
    (unix(7)) belongs to one process at a time.

    Raises:
        OSError: no port is left.
    """
    for port in random.SystemRandom().sample(range(_FIRST, _LAST), _LAST - _FIRST):
        name = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, kind) as probe:
            name.bind(f"\0thinwire-test-port-{port}")
            probe.bind(("127.0.0.1", port))
            _reserved.append(name)
            return port
        name.close()
    raise OSError(f"no port from {_FIRST} to {_LAST} is free")
