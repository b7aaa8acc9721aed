"""A server that has no file descriptor left for a new connection, as one at its limit of files.

The limit of the running process (RLIMIT_NOFILE, getrlimit(2)) goes below each connection that it
has, so that accept(2) fails by EMFILE, also when one of them has ended. Open connections go on.
"""

from __future__ import annotations

import contextlib
import re
import resource
from collections.abc import Iterator
from pathlib import Path

_ESTABLISHED = "01"  # the kernel's TCP_ESTABLISHED
_SOCKET = re.compile(r"socket:\[(\d+)\]$")

Limits = tuple[int, int]


def _connections(pid: int) -> set[str]:
    """Return the inodes of the established TCP connections in a process's namespace
    (proc_pid_net(5))."""
    found = set()
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):  # there is no IPv6
            rows = Path(f"/proc/{pid}/net/{table}").read_text(encoding="ascii").splitlines()[1:]
            found |= {row.split()[9] for row in rows if row.split()[3] == _ESTABLISHED}
    return found


def _descriptors(pid: int) -> Iterator[tuple[int, str]]:
    """Yield each open descriptor of a process with its socket's inode, or an empty text."""
    for entry in sorted(Path(f"/proc/{pid}/fd").iterdir(), key=lambda path: int(path.name)):
        match = _SOCKET.search(str(entry.readlink()))
        yield int(entry.name), match[1] if match else ""


def exhaust(pid: int) -> Limits:
    """Leave a process no descriptor for a new connection; return its limits of before."""
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    connections = _connections(pid)
    lowest = 0
    for number, inode in _descriptors(pid):
        if number != lowest or inode in connections:
            break
        lowest += 1
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (lowest, before[1]))
    return before


def restore(pid: int, limits: Limits) -> None:
    """Give a process its limits back."""
    resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
