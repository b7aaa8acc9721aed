"""One CPU for each machine, since its processes switch 2 to 4 times faster on a single CPU.

A machine reserves a CPU by a socket with a name in the abstract namespace, which needs no removal.
If there are more machines than CPUs, several share one; if memory does not suffice, a machine waits
until another one ends.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

# Memory for a machine. One with mosquitto uses 47 MiB, one with RabbitMQ 145 MiB.
_EACH_BYTES = 300 << 20
_WAIT_S = 0.1
_NAME = "\0thinwire-cpu{}-{}"


def room_bytes(memory: Path) -> int:
    """Return the size of this host's memory, or of the file system at `memory` if that is less."""
    status = os.statvfs(memory)
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(physical, status.f_blocks * status.f_frsize)


def most(memory: Path) -> int:
    """Return how many machines may run at once: as many as fit into three quarters of this host's
    memory and of the file system for their memory."""
    return max(1, room_bytes(memory) * 3 // 4 // _EACH_BYTES)


def _claim(seats: int) -> tuple[socket.socket, int] | None:
    """Reserve a seat; return its socket and its CPU, or None if all seats are taken."""
    allowed = sorted(os.sched_getaffinity(0))
    rows = ((row, cpu) for row in itertools.count() for cpu in allowed)
    for row, cpu in itertools.islice(rows, seats):
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(_NAME.format(cpu, row))
        except OSError as error:
            claim.close()
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            return claim, cpu
    return None


@contextlib.contextmanager
def seat(seats: int) -> Iterator[int]:
    """Reserve, for a block, the CPU with the fewest machines among those that this process may use.
    Wait while all `seats` are taken."""
    while not (found := _claim(seats)):
        time.sleep(_WAIT_S)
    claim, cpu = found
    with claim:
        yield cpu
