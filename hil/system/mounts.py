"""Mounts and namespaces of this process: the calls that Python lacks."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)
_NEW = 0x00020000 | 0x20000000 | 0x08000000 | 0x04000000  # CLONE_NEW{NS,PID,IPC,UTS}
NOSUID, NODEV, NOEXEC = 2, 4, 8
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 1 << 18
_MNT_DETACH = 2


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def mount(kind: str, target: Path, flags: int, data: str = "") -> None:
    """Mount a new file system of a kind; its folder is created. OSError if that fails."""
    target.mkdir(parents=True, exist_ok=True)
    _call("mount", kind.encode(), os.fsencode(target), kind.encode(), flags, data.encode())


def bind(source: Path, target: Path) -> None:
    """Let a file or folder appear at another place. OSError if that fails."""
    _call("mount", os.fsencode(source), os.fsencode(target), None, _MS_BIND, None)


def unmount(target: Path) -> None:
    """Remove a mount as soon as nobody uses it; do nothing if there is none."""
    _libc.umount2(os.fsencode(target), _MNT_DETACH)


def leave_namespaces() -> None:
    """Give this process new namespaces of mounts, IPC and host name, and its later children one of
    processes; its mounts no longer appear elsewhere. OSError without privilege."""
    _call("unshare", _NEW)
    _call("mount", None, b"/", None, _MS_REC | _MS_PRIVATE, None)
