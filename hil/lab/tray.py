"""The tray: memory that host and machine share, for an order going in and results coming out.

It is a file on the host and a PCI memory region inside (QEMU's ivshmem-plain). Reading it is a
memory access that takes no virtual time to speak of and depends on nothing the host does
meanwhile; a disk or a socket would answer at a moment that the host decides.

Layout: magic, state and length in the first page, then a tar archive.
"""

from __future__ import annotations

import io
import mmap
import os
import struct
import tarfile
from pathlib import Path

from hil.errors import InputError, TrialError

SIZE = 256 << 20
_HEADER = struct.Struct("<8sIQ")
_MAGIC = b"thinwire"
_BODY = 4096
_RESERVED = 16 << 20

EMPTY, ORDER, RESULT = 0, 1, 2


def pack(files: dict[str, bytes]) -> bytes:
    """A tar archive of `files`, sorted, without dates and owners."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size = len(files[name])
            archive.addfile(entry, io.BytesIO(files[name]))
    return buffer.getvalue()


def unpack(data: bytes) -> dict[str, bytes]:
    """The files of a tar archive; TrialError if it is none."""
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            return {
                entry.name: file.read()
                for entry in archive
                if (file := archive.extractfile(entry)) is not None
            }
    except tarfile.TarError as error:
        raise TrialError(f"the tray holds no archive ({error})") from error


class Tray:
    """A mapped tray. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), SIZE)

    @classmethod
    def create(cls, path: Path) -> Tray:
        """A new, empty tray file; sparse but for what every trial needs.

        Raises:
            InputError: the disk is full (a store to a mapped file could not say so).
        """
        with path.open("wb") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, _RESERVED)
                file.truncate(SIZE)
            except OSError as error:
                raise InputError(
                    path.parent, "", f"has no room for a trial ({error.strerror})",
                    f"free {_RESERVED >> 20} MiB there, or set TMPDIR to another folder",
                ) from error  # fmt: skip
        return cls(path)

    def __enter__(self) -> Tray:
        return self

    def __exit__(self, *_: object) -> None:
        self._map.close()

    def put(self, state: int, files: dict[str, bytes]) -> None:
        """Place files; TrialError if they are too large."""
        data = pack(files)
        if len(data) > SIZE - _BODY:
            raise TrialError(
                f"results of {len(data) >> 20} MiB do not fit the tray of {SIZE >> 20} MiB"
            )
        self._map[_BODY : _BODY + len(data)] = data
        self._map[: _HEADER.size] = _HEADER.pack(_MAGIC, state, len(data))

    def state(self) -> int:
        """EMPTY, ORDER or RESULT."""
        magic, state, _ = _HEADER.unpack(self._map[: _HEADER.size])
        return int(state) if magic == _MAGIC else EMPTY

    def take(self) -> dict[str, bytes]:
        """The files in it."""
        _, _, length = _HEADER.unpack(self._map[: _HEADER.size])
        return unpack(self._map[_BODY : _BODY + length])
