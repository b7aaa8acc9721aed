"""Folders for intermediate files, which do not outlive the process that made them by much.

A process that ends by a signal that it cannot catch, or with the power, leaves its folders behind.
So its maker holds a lock on each, and whoever makes the next one removes those that nobody holds.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX = ".thinwire-"
_RANDOM = "[a-z0-9_]{8}"  # what mkdtemp appends
# What every program takes as a file's name, with room for a socket's (108 bytes in all).
_PLAIN = re.compile(r"[A-Za-z0-9_./-]{1,60}")


def _hold(place: Path) -> int:
    """Open and lock a folder.

    Raises:
        BlockingIOError: another process holds it.
        OSError: it is gone, or this file system knows no locks.
    """
    number = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        place.lstat()  # a sweeper may have been faster
    except OSError:
        os.close(number)
        raise
    return number


def sweep(prefix: str = PREFIX, parent: Path | None = None) -> None:
    """Remove the folders of this user whose makers are dead."""
    parent = parent or Path(tempfile.gettempdir())
    for place in sorted(parent.iterdir()):
        if not re.fullmatch(re.escape(prefix) + _RANDOM, place.name):
            continue
        with contextlib.suppress(OSError):  # it is held, another user's, or gone
            if place.lstat().st_uid != os.geteuid():
                continue
            number = _hold(place)
            try:
                shutil.rmtree(place, ignore_errors=True)
            finally:
                os.close(number)


@contextlib.contextmanager
def folder(prefix: str = PREFIX, parent: Path | None = None) -> Iterator[Path]:
    """A new folder that is gone when the block is left (or has been renamed by then)."""
    sweep(prefix, parent)
    while True:
        place = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        try:
            number = _hold(place)
        except (BlockingIOError, FileNotFoundError):  # a sweeper was faster than the lock
            continue
        except OSError:  # without locks nobody sweeps either
            number = -1
        break
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        if number >= 0:
            os.close(number)


def plain_parent() -> Path:
    """TMPDIR where its name suits every program, else /tmp."""
    usual = tempfile.gettempdir()
    return Path(usual if _PLAIN.fullmatch(usual) else "/tmp")
