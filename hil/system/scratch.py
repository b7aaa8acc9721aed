"""Folders for intermediate files, which are removed soon after the process that created them ends.

A process that is killed, or a power failure, leaves folders behind. So each process locks its
folders, and the creation of the next one removes those that nobody has locked.
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
# Characters that every program accepts in a path, with room for a socket's name (108 bytes).
_PLAIN = re.compile(r"[A-Za-z0-9_./-]{1,60}")


def _hold(path: Path) -> int:
    """Open and lock a folder.

    Raises:
        BlockingIOError: another process holds it.
        OSError: it is gone, or this file system has no locks.
    """
    number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.lstat()  # another process may have removed it
    except OSError:
        os.close(number)
        raise
    return number


def sweep(prefix: str = PREFIX, parent: Path | None = None) -> None:
    """Remove this user's folders whose processes have ended."""
    parent = parent or Path(tempfile.gettempdir())
    for path in sorted(parent.iterdir()):
        if not re.fullmatch(re.escape(prefix) + _RANDOM, path.name):
            continue
        with contextlib.suppress(OSError):  # it is held, another user's, or gone
            if path.lstat().st_uid != os.geteuid():
                continue
            number = _hold(path)
            try:
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(number)


@contextlib.contextmanager
def folder(prefix: str = PREFIX, parent: Path | None = None) -> Iterator[Path]:
    """Create a folder that is removed at the end of the block, unless it has been renamed."""
    sweep(prefix, parent)
    while True:
        path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        try:
            number = _hold(path)
        except (
            BlockingIOError,
            FileNotFoundError,
        ):  # another process removed it before it was locked
            continue
        except OSError:  # without locks no process removes it either
            number = -1
        break
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        if number >= 0:
            os.close(number)


def plain_parent() -> Path:
    """Return TMPDIR if every program accepts its name, else /tmp."""
    usual = tempfile.gettempdir()
    return Path(usual if _PLAIN.fullmatch(usual) else "/tmp")
