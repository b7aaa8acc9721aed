"""The resources that a process and all its children use now."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

_PARENT = 1  # field of /proc/PID/stat behind the program's name (proc(5))


def _field(path: Path, name: str) -> int:
    """Return the number after a name in a file of /proc with an entry a line; 0 if it is missing (a
    process that has ended and was not waited for has no memory)."""
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    return 0


def share_kib(pid: int) -> int:
    """Return the memory of a process in KiB, with a proportional part of what it shares (Pss)."""
    return _field(Path(f"/proc/{pid}/smaps_rollup"), "Pss")


def own_kib(pid: int) -> int:
    """Return the anonymous memory of a process in KiB (RssAnon), which grows with a leak. The
    machine's kernel reports this one but not the shares."""
    return _field(Path(f"/proc/{pid}/status"), "RssAnon")


def footprint(root: int, memory_kib: Callable[[int], int]) -> Counter[str]:
    """Count processes, open files and memory (KiB, by `memory_kib`) of the process `root` and its
    descendants. A process that ends meanwhile counts as far as it was read."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.parent.name)] = int(fields[_PARENT])
    ours = {root}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    now = Counter(processes=len(ours))
    for pid in ours:
        try:
            now["open_files"] += len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208
            now["memory_kib"] += memory_kib(pid)
        except OSError:
            continue
    return now
