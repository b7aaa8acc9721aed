"""Processes and locks of a workflow whose Snakemake was killed: ended and removed.

Every process that Snakemake starts carries a mark in its environment, with Snakemake's number and
the working folder. Trials watch that number and end with it. Everything else ends by itself, or
when the next Snakemake of the folder begins: each holds a shared lock on a file as long as it
lives, so one that gets it for itself alone knows that all marked processes are orphans, and that
the locks which Snakemake wrote are nobody's.
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
    """Mark every process that this one will start as a part of the workflow in `folder`."""
    os.environ[_MARK] = f"{os.getpid()} {folder.resolve()}"


def end_with_workflow() -> None:
    """Have this process told to end (SIGTERM) when the Snakemake that started it is gone."""
    number, _, _ = os.environ.get(_MARK, "").partition(" ")
    if not number:
        return
    try:
        parent = os.pidfd_open(int(number))
    except (OSError, ValueError):  # gone already, or in another namespace of processes
        return

    def watch() -> None:
        select.select([parent], [], [])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def _marked(folder: Path) -> Iterator[int]:
    """Numbers of the processes that carry the mark of a workflow in `folder`."""
    wanted = os.fsencode(folder.resolve())
    for place in Path("/proc").iterdir():
        if not place.name.isdigit() or int(place.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):  # gone, or another user's
            for variable in (place / "environ").read_bytes().split(b"\0"):
                name, _, value = variable.partition(b"=")
                if name == _MARK.encode() and value.partition(b" ")[2] == wanted:
                    yield int(place.name)


def _end(folder: Path) -> None:
    """Kill the orphans of a folder's workflow, and what they start meanwhile."""
    deadline = time.monotonic() + _END_S
    while numbers := list(_marked(folder)):
        for number in numbers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        if time.monotonic() > deadline:
            return
        time.sleep(_POLL_S)


def left_behind(folder: Path) -> list[Path]:
    """The locks that a dead Snakemake wrote in `folder`; none while another one lives."""
    state = folder / _STATE
    locks = sorted((state / "locks").glob("*.lock"))
    if not locks:
        return []
    try:
        with (state / "thinwire.lock").open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return locks
    except OSError:  # it lives, or nothing can be known
        return []
    return locks


def adopt(folder: Path) -> int | None:
    """Clean up after dead instances of Snakemake in `folder`, unless another one lives.

    Returns:
        The number of the open lock file, for this process to keep as long as it lives; None where
        the file system has no locks, so that nothing can be known.
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
