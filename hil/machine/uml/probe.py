"""Inspect a running machine from outside: read its time and its running process from its memory.

The machine does not notice, so its results do not change.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_NAME_BYTES = 16  # TASK_COMM_LEN
_TICKS = os.sysconf("SC_CLK_TCK")
# Fields of /proc/PID/stat behind the program's name.
_SESSION, _UTIME, _STIME = 3, 11, 12


def session_processes(leader: int) -> Iterator[int]:
    """Yield the processes of a machine, whose kernel `leader` leads their session."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
            if int(fields[_SESSION]) == leader:
                yield int(path.parent.name)


@dataclass(frozen=True)
class Probe:
    """The probe of the machine whose kernel is process `pid`, the leader of its session."""

    pid: int
    symbols: dict[str, int]

    def _read(self, address: int, size: int) -> bytes:
        """Read memory; OSError if the machine has ended or this host denies access."""
        with Path(f"/proc/{self.pid}/mem").open("rb", buffering=0) as memory:
            return os.pread(memory.fileno(), size, address)

    def _word(self, address: int) -> int:
        return int(struct.unpack("<Q", self._read(address, 8))[0])

    def virtual_ns(self) -> int | None:
        """Return the machine's time since its boot; None if it cannot be read."""
        with contextlib.suppress(OSError, struct.error):
            return self._word(self.symbols["time_travel_time"])
        return None

    def runs(self) -> str:
        """Return the name of the process that runs inside."""
        with contextlib.suppress(OSError, struct.error):
            task = self._word(self.symbols["cpu_tasks"])
            address = task + self._word(self.symbols["lab_name_offset"])
            return self._read(address, _NAME_BYTES).split(b"\0")[0].decode(errors="replace")
        return "a process"

    def cpu_s(self) -> float:
        """Return the CPU time that all processes of the machine have used, in s."""
        ticks = 0
        for pid in session_processes(self.pid):
            with contextlib.suppress(OSError):
                status = Path(f"/proc/{pid}/stat").read_text(errors="replace")
                fields = status.rpartition(")")[2].split()
                ticks += int(fields[_UTIME]) + int(fields[_STIME])
        return ticks / _TICKS
