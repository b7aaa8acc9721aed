"""A process inside the machine that computes without a system call, so that no time can pass.

Each process inside is one of this host, which the kernel of the machine drives. A signal like that
of an arithmetic error makes that kernel deliver the signal to the process inside, which usually
ends it. Then the trial ends in order, with the files that it has so far.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hil.machine.symbols import PAGE, Programs

# The kernel of the machine relays the first to the process inside, whose runtime may print where it
# was; the second ends the process of this host, which ends the one inside.
ENDINGS = (signal.SIGFPE, signal.SIGKILL)
_SAMPLE_S, _STOP_S, _BRIEFLY_S = 0.3, 2.0, 0.002
_STACK_BYTES, _FRAMES, _TRIES = 16384, 8, 400
_REGISTERS = re.compile(r"^-1 0x([0-9a-f]+) 0x([0-9a-f]+)$")
# Of the Intel 64 manual, volume 2: CALL by a relative address; by a register or memory,
# whose second byte has 2 in bits 3 to 5.
_CALL, _CALL_NEAR, _CALL_SIZES = 0xE8, 0xFF, (2, 3, 4, 6, 7)
_STATE, _SESSION, _UTIME = 0, 3, 11  # fields of /proc/PID/stat behind the program's name


def _fields(pid: int) -> list[str]:
    text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    return text.rpartition(")")[2].split()


def _times(session: int) -> dict[int, int]:
    """Return the user time, in ticks, of each process of a session but its leader."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            pid, fields = int(path.name), _fields(int(path.name))
            if int(fields[_SESSION]) == session and pid != session:
                found[pid] = int(fields[_UTIME])
    return found


def busiest(session: int) -> int | None:
    """Return the process of a machine that computes, given the PID of its kernel."""
    before = _times(session)
    time.sleep(_SAMPLE_S)
    spent = {pid: ticks - before.get(pid, ticks) for pid, ticks in _times(session).items()}
    pid = max(spent, key=lambda each: spent[each], default=None)
    return pid if pid is not None and spent[pid] > 0 else None


@contextlib.contextmanager
def _stopped(pid: int) -> Iterator[bool]:
    """Stop a process for a block; yields whether it stands still."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    if "TracerPid:\t0\n" not in status:  # its kernel traces it, and would see the stop
        yield False
        return
    os.kill(pid, signal.SIGSTOP)
    try:
        deadline = time.monotonic() + _STOP_S
        while _fields(pid)[_STATE] != "T" and time.monotonic() < deadline:
            time.sleep(_BRIEFLY_S)
        yield _fields(pid)[_STATE] == "T"
    finally:
        os.kill(pid, signal.SIGCONT)


@dataclass
class _Memory:
    """The memory of a process, and the functions in it."""

    pid: int
    programs: Programs

    def read(self, address: int, size: int) -> bytes:
        """Read memory; fewer bytes where it ends."""
        with Path(f"/proc/{self.pid}/mem").open("rb", buffering=0) as memory:
            try:
                return os.pread(memory.fileno(), size, address)
            except (OSError, OverflowError):
                return b""

    def code(self) -> list[tuple[int, int]]:
        """Return the executable parts of the memory, as begin and end."""
        found = []
        text = Path(f"/proc/{self.pid}/maps").read_text(encoding="utf-8", errors="replace")
        for line in text.splitlines():
            span, rights = line.split()[:2]
            if "x" in rights:
                begin, end = (int(part, 16) for part in span.split("-"))
                found.append((begin, end))
        return found

    def place(self, address: int) -> str:
        """Return the function at an address; an empty text if no file of the packages has it."""
        page = self.read(address & -PAGE, PAGE)
        return self.programs.place(address, page) if len(page) == PAGE else ""

    def calls(self, address: int) -> bool:
        """Return whether a call ends at an address."""
        before = self.read(address - 7, 7)
        if len(before) < 7:
            return False
        indirect = any(
            before[-size] == _CALL_NEAR and before[1 - size] >> 3 & 7 == 2
            for size in (2, 3, 4, 6, 7)
        )
        return before[-5] == _CALL or indirect


def trace(pid: int, programs: Programs) -> list[str]:
    """Return where a process computes: its function, then those on its stack, which called it or
    were called before. Empty if the host does not show its registers."""
    found: list[str] = []
    with contextlib.suppress(OSError), _stopped(pid) as still:
        shown = _REGISTERS.match(Path(f"/proc/{pid}/syscall").read_text().strip())
        if not still or not shown:
            return []
        stack, counter = (int(part, 16) for part in shown.groups())
        memory = _Memory(pid, programs)
        found.append(memory.place(counter) or f"{counter:#x}, code made at run time")
        words = memory.read(stack, _STACK_BYTES)
        spans, tries = memory.code(), 0
        for (value,) in struct.iter_unpack("<Q", words[: len(words) & -8]):
            if len(found) > _FRAMES or tries > _TRIES:
                break
            if any(begin <= value < end for begin, end in spans) and memory.calls(value):
                tries += 1
                if place := memory.place(value):
                    found.append(place)
    return found


def end(pid: int, number: int) -> None:
    """Send a signal to a process of a machine."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
