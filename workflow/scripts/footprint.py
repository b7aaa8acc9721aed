"""What a process and all of its children take of this host, now."""

import os
from collections import Counter
from pathlib import Path

_PARENT = 1  # field of /proc/PID/stat behind the program's name


def footprint(root: int) -> Counter[str]:
    """Processes, open files and memory (KiB; what is shared is counted once) of the process `root`
    and its children. A process that ends meanwhile counts as far as it was seen."""
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
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        sizes = dict(line.split(":", 1) for line in lines[1:])
        now["memory_kib"] += int(sizes["Pss"].split()[0])
    return now
