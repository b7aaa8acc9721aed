"""One run of a machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from hil.system.progress import Progress, in_silence


@dataclass(frozen=True)
class Job:
    """What a machine runs once.

    Attributes:
        files: of the request, by name: contents, or paths (hil/rig/request.py).
        folder: for the run's own files; exists and is empty.
        timeout_s: wall time after which the machine is ended.
        progress: called every second or two with the virtual seconds elapsed.
        beside: entered with the number of the machine's process while it runs, for a user who may
            halt it: its time is not watched then, and nothing ends it early.
        least_mib: memory that the trial needs; the machine has that of its flavour if that is more.
    """

    files: Mapping[str, bytes | Path]
    folder: Path
    timeout_s: float
    progress: Progress = in_silence
    beside: Callable[[int], AbstractContextManager[None]] | None = None
    least_mib: int = 0
