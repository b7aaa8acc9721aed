"""One CPU for each machine: on one, its processes hand over to each other 2 to 4 times faster.

A machine holds a CPU by a socket with a name in the abstract namespace, which nobody has to remove.
Machines beyond the number of CPUs take a second seat on one, and so on.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import socket
from collections.abc import Iterator


@contextlib.contextmanager
def seat() -> Iterator[int]:
    """A CPU that this process may use and that the fewest machines of this host sit on."""
    allowed = sorted(os.sched_getaffinity(0))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        for row, cpu in ((row, cpu) for row in itertools.count() for cpu in allowed):
            try:
                claim.bind(f"\0thinwire-cpu{cpu}-{row}")
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    continue
                raise
            break
        yield cpu
