"""A writer of cpio archives in the "newc" format, which the kernel unpacks as its first root.

Why an own writer: an archive here must be a function of its contents alone. Entries are sorted,
dates are zero, the owner is root, inodes are numbered in order. It needs no root, because the
machine's device nodes come from devtmpfs. And contents of a page or more begin at a page, so that
the machine `uml` maps them instead of copying them (setup/uml/image.c). Format: Linux,
Documentation/driver-api/early-userspace/buffer-format.rst.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

_MAGIC = b"070701"
_TRAILER = "TRAILER!!!"
_BLOCK = 512
_PAGE = 4096
_LONGEST_NAME = 4096  # of what Linux unpacks, with the null bytes at its end (PATH_MAX)


@dataclass(frozen=True)
class Entry:
    """One file of the archive: one of `source`, `data`, `link` is set, or none for a folder.

    Attributes:
        source: host file whose contents are copied.
        data: the contents themselves.
        link: target of a symbolic link.
        mode: permission bits.
    """

    source: Path | None = None
    data: bytes | None = None
    link: str | None = None
    mode: int = 0o755


def _header(ino: int, mode: int, nlink: int, size: int, name: bytes) -> bytes:
    """The 110-byte header and the name, padded to 4 bytes. The name has a null byte at its end."""
    fields = (ino, mode, 0, 0, nlink, 0, size, 0, 0, 0, 0, len(name), 0)
    raw = _MAGIC + b"".join(b"%08X" % value for value in fields) + name
    return raw + b"\0" * (-len(raw) % 4)


def _padded(name: bytes, at: int) -> bytes:
    """`name` with null bytes, so that the contents of an entry at `at` begin at a page. One too
    long for that has a single one; the contents are copied then."""
    padded = name + b"\0" * ((-at - 110 - len(name) - 1) % _PAGE + 1)
    return padded if len(padded) <= _LONGEST_NAME else name + b"\0"


def _with_parents(entries: dict[str, Entry]) -> dict[str, Entry]:
    """`entries` and every folder above them."""
    complete = dict(entries)
    for name in entries:
        for parent in PurePosixPath(name).parents:
            if str(parent) not in (".", "/"):
                complete.setdefault(str(parent), Entry())
    return complete


def write(out: BinaryIO, entries: dict[str, Entry]) -> int:
    """Write an archive of `entries` (path without a leading slash -> entry) to `out`.

    Returns:
        the size of the archive in bytes, a multiple of 512.

    Raises:
        ValueError: a path is absolute or leaves the root.
        OSError: a source cannot be read, or `out` cannot be written (a full disk).
    """
    size = 0

    def put(chunk: bytes) -> None:
        nonlocal size
        out.write(chunk)
        size += len(chunk)

    for ino, (name, entry) in enumerate(sorted(_with_parents(entries).items()), start=1):
        if name.startswith("/") or ".." in PurePosixPath(name).parts:
            raise ValueError(f"cpio path must be relative and inside the root: {name!r}")
        if entry.link is not None:
            content, kind, mode = entry.link.encode(), stat.S_IFLNK, 0o777
        elif entry.data is not None:
            content, kind, mode = entry.data, stat.S_IFREG, entry.mode
        elif entry.source is not None:
            content, kind, mode = entry.source.read_bytes(), stat.S_IFREG, entry.mode
        else:
            content, kind, mode = b"", stat.S_IFDIR, entry.mode
        nlink = 2 if kind == stat.S_IFDIR else 1
        aligned = kind == stat.S_IFREG and len(content) >= _PAGE
        ended = _padded(name.encode(), size) if aligned else name.encode() + b"\0"
        put(_header(ino, kind | mode, nlink, len(content), ended))
        put(content + b"\0" * (-len(content) % 4))
    put(_header(0, 0, 1, 0, _TRAILER.encode() + b"\0"))
    put(b"\0" * (-size % _BLOCK))
    return size
