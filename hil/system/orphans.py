"""End the processes and remove the locks of a workflow whose Snakemake was killed.

Every process that Snakemake starts has a mark in its environment, with Snakemake's PID and the
working folder. Trials watch that process and end with it. All others end by themselves, or when the
next Snakemake of the folder starts. Each Snakemake holds a shared lock on a file while it runs. If
one obtains an exclusive lock, all marked processes are orphans, and Snakemake's lock files are
stale.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

_MARK = "THINWIRE_WORKFLOW"
_STATE = ".snakemake"
_END_S, _POLL_S = 10.0, 0.02


def mark(folder: Path) -> None:
    """Mark every process that this one will start as part of the workflow in `folder`."""
    os.environ[_MARK] = f"{os.getpid()} {folder.resolve()}"


def end_with_workflow() -> None:
    """Send SIGTERM to this process when the Snakemake that started it has ended."""
    number, _, _ = os.environ.get(_MARK, "").partition(" ")
    if not number:
        return
    try:
        parent = os.pidfd_open(int(number))
    except (OSError, ValueError):  # it has ended, or it is in another PID namespace
        return

    def watch() -> None:
        select.select([parent], [], [])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def _marked(folder: Path) -> Iterator[int]:
    """Yield the PIDs of the processes with the mark of a workflow in `folder`."""
    wanted = os.fsencode(folder.resolve())
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):  # gone, or another user's
            for variable in (process / "environ").read_bytes().split(b"\0"):
                name, _, value = variable.partition(b"=")
                if name == _MARK.encode() and value.partition(b" ")[2] == wanted:
                    yield int(process.name)


def _end(folder: Path) -> None:
    """Kill the orphans of a folder's workflow, and the processes that they start meanwhile."""
    deadline = time.monotonic() + _END_S
    while numbers := list(_marked(folder)):
        for number in numbers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        if time.monotonic() > deadline:
            return
        time.sleep(_POLL_S)


def left_behind(folder: Path) -> list[Path]:
    """Return the locks that a dead Snakemake left in `folder`; none while another one runs."""
    state = folder / _STATE
    locks = sorted((state / "locks").glob("*.lock"))
    if not locks:
        return []
    try:
        with (state / "thinwire.lock").open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return locks
    except OSError:  # it runs, or its state is unknown
        return []
    return locks


def adopt(folder: Path) -> int | None:
    """Clean up after dead instances of Snakemake in `folder`, unless another one runs.

    Returns:
        The descriptor of the open lock file, which this process keeps while it runs; None if the
        file system has no locks.
    """
    state = folder / _STATE
    state.mkdir(exist_ok=True)
    held = os.open(state / "thinwire.lock", os.O_RDWR | os.O_CREAT)
    try:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _end(folder)
            for lock in (state / "locks").glob("*.lock"):
                lock.unlink()
        fcntl.flock(held, fcntl.LOCK_SH)
    except OSError:
        os.close(held)
        return None
    return held
