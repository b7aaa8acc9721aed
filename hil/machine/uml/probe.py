"""A look into a running machine from outside: its time, and who runs, read from its memory.

Nothing inside notices, so nothing inside changes.
"""

from __future__ import annotations

import contextlib
import os
import struct
from dataclasses import dataclass
from pathlib import Path

_NAME_BYTES = 16  # TASK_COMM_LEN
_TICKS = os.sysconf("SC_CLK_TCK")
# Fields of /proc/PID/stat behind the program's name.
_SESSION, _UTIME, _STIME = 3, 11, 12


@dataclass(frozen=True)
class Probe:
    """Of the machine whose kernel is process `pid`, the leader of its session."""

    pid: int
    symbols: dict[str, int]

    def _read(self, address: int, size: int) -> bytes:
        """Raises OSError where the machine is gone or this host forbids it."""
        with Path(f"/proc/{self.pid}/mem").open("rb", buffering=0) as memory:
            return os.pread(memory.fileno(), size, address)

    def _word(self, address: int) -> int:
        return int(struct.unpack("<Q", self._read(address, 8))[0])

    def virtual_ns(self) -> int | None:
        """The machine's time since its boot; None if it cannot be read."""
        with contextlib.suppress(OSError, struct.error):
            return self._word(self.symbols["time_travel_time"])
        return None

    def runs(self) -> str:
        """The name of the process that runs inside."""
        with contextlib.suppress(OSError, struct.error):
            task = self._word(self.symbols["cpu_tasks"])
            place = task + self._word(self.symbols["lab_name_offset"])
            return self._read(place, _NAME_BYTES).split(b"\0")[0].decode(errors="replace")
        return "a process"

    def cpu_s(self) -> float:
        """Seconds of this host's processors that the machine has used, all its processes."""
        ticks = 0
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                fields = path.read_text(errors="replace").rpartition(")")[2].split()
                if int(fields[_SESSION]) == self.pid:
                    ticks += int(fields[_UTIME]) + int(fields[_STIME])
        return ticks / _TICKS
