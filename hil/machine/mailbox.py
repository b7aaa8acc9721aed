"""The mailbox: memory shared by host and machine; the request goes in, the results come out.

It is a file on the host and a PCI memory region inside (QEMU's ivshmem-plain). Reading it is a
memory access, which takes almost no virtual time and does not depend on the host. A disk or a
socket would answer at a time that the host decides.

Layout: magic, state and length in the first page, then a tar archive.
"""

from __future__ import annotations

import io
import mmap
import os
import struct
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hil.base.errors import InputError, LabError

SIZE = 256 << 20
_HEADER = struct.Struct("<8sIQ")
_MAGIC = b"thinwire"
_BODY = 4096
_RESERVED = 16 << 20
# Overhead of a tar archive: header and padding of a file, and padding of the last record.
_PER_FILE, _RECORD = 1024, 10240 + 1024

EMPTY, REQUEST, RESULT = 0, 1, 2


Files = Mapping[str, bytes | Path]


def _size(content: bytes | Path) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def _write(target: Any, files: Files) -> None:
    """Write a tar archive of `files`, sorted, without dates and owners, piece by piece."""
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            content = files[name]
            entry = tarfile.TarInfo(name)
            entry.size = _size(content)
            with io.BytesIO(content) if isinstance(content, bytes) else content.open("rb") as file:
                archive.addfile(entry, file)


def pack(files: Files) -> bytes:
    """Return a tar archive of `files`."""
    buffer = io.BytesIO()
    _write(buffer, files)
    return buffer.getvalue()


def unpack(data: bytes) -> dict[str, bytes]:
    """Return the files of a tar archive; LabError if it is none."""
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            return {
                entry.name: file.read()
                for entry in archive
                if (file := archive.extractfile(entry)) is not None
            }
    except tarfile.TarError as error:
        raise LabError(f"the mailbox holds no archive ({error})") from error


class Mailbox:
    """A mapped mailbox. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), SIZE)

    @classmethod
    def create(cls, path: Path) -> Mailbox:
        """Create an empty mailbox file, sparse except for what every trial needs.

        Raises:
            InputError: the disk is full (a store to a mapped file could not say so).
        """
        with path.open("wb") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, _RESERVED)
                file.truncate(SIZE)
            except OSError as error:
                raise InputError(
                    path.parent,
                    "",
                    f"has no room for a trial ({error.strerror})",
                    f"free {_RESERVED >> 20} MiB there, or set TMPDIR to another folder",
                ) from error
        return cls(path)

    def __enter__(self) -> Mailbox:
        return self

    def __exit__(self, *_: object) -> None:
        self._map.close()

    def put(self, state: int, files: Files) -> None:
        """Write files, given by their contents or their paths; LabError if they are too large.

        The archive is written directly into the mailbox, since the machine has no other room.
        """
        size = sum(_size(content) for content in files.values())
        if size + len(files) * _PER_FILE + _RECORD > SIZE - _BODY:
            raise LabError(
                f"results of {size >> 20} MiB do not fit the mailbox of {SIZE >> 20} MiB"
            )
        self._map.seek(_BODY)
        _write(self._map, files)
        length = self._map.tell() - _BODY
        self._map[: _HEADER.size] = _HEADER.pack(_MAGIC, state, length)

    def state(self) -> int:
        """Return EMPTY, REQUEST or RESULT."""
        magic, state, _ = _HEADER.unpack(self._map[: _HEADER.size])
        return int(state) if magic == _MAGIC else EMPTY

    def take(self) -> dict[str, bytes]:
        """Return the files in it."""
        _, _, length = _HEADER.unpack(self._map[: _HEADER.size])
        return unpack(self._map[_BODY : _BODY + length])
