"""One CPU for each machine: on one, its processes hand over to each other 2 to 4 times faster.

A machine holds a CPU by a socket with a name in the abstract namespace, which nobody has to remove.
Machines beyond the number of CPUs take a second seat on one, and so on; beyond what this host's
memory holds they wait for one that ends.
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

# Of memory for a machine, which takes 190 to 220 MiB for a trial of a minute.
_EACH_BYTES = 300 << 20
_WAIT_S = 0.1
_NAME = "\0thinwire-cpu{}-{}"


def most(memory: Path) -> int:
    """How many machines may run at once: those that three quarters of this host's memory hold, and
    of the file system in which theirs lies."""
    place = os.statvfs(memory)
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(physical, place.f_blocks * place.f_frsize) * 3 // 4 // _EACH_BYTES)


def _claim(seats: int) -> tuple[socket.socket, int] | None:
    """A free seat, held by a socket, and its CPU; None if all are taken."""
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
    """A CPU that this process may use and that the fewest machines of this host sit on; waits while
    all `seats` are taken."""
    while not (found := _claim(seats)):
        time.sleep(_WAIT_S)
    claim, cpu = found
    with claim:
        yield cpu
