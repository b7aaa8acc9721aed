"""The files of a crate from an untrusted source: a folder or a zip file.

Only regular files with plain paths (`layout.MEMBER`) and bounded sizes are accepted. Nothing is
extracted under a name that the crate gives.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from abc import ABC, abstractmethod
from pathlib import Path

from hil.base.errors import InputError
from hil.crate.layout import MEMBER, METADATA

LARGEST = 1 << 30  # bytes of a file
MOST = 1_000_000  # files
_FOLD = 200  # limit of a zip file's expansion; text compresses to a tenth
_SMALL = 1 << 20  # the limit does not apply below this size, bytes
_ENCRYPTED = 0x1
_REMEDY = "do not use it; download the crate again from its repository"


class Members(ABC):
    """The files of a crate: paths within it, with sizes in bytes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sizes: dict[str, int] = {}

    def _add(self, member: str, size: int) -> None:
        """Add a file to the list, or refuse the crate."""
        if not MEMBER.fullmatch(member):
            self.refuse(ascii(member), "is a path that no crate of Thinwire has")
        if member in self.sizes:
            self.refuse(member, "appears twice")
        if size > LARGEST:
            self.refuse(member, f"has {size} bytes; the limit is {LARGEST}")
        if len(self.sizes) == MOST:
            self.refuse(member, f"is beyond the limit of {MOST} files")
        self.sizes[member] = size

    def refuse(self, member: str, problem: str, remedy: str = _REMEDY) -> None:
        """Raise an InputError that refuses the crate."""
        raise InputError(self.path, member, problem, remedy)

    @abstractmethod
    def read(self, member: str) -> bytes:
        """Return a file's bytes.

        Raises:
            InputError: it cannot be read.
        """


class Folder(Members):
    """A crate in a folder."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._walk(path, "")

    def _walk(self, folder: Path, inside: str) -> None:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                member = inside + entry.name
                state = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(state.st_mode):
                    self._walk(Path(entry.path), f"{member}/")
                elif stat.S_ISREG(state.st_mode):
                    self._add(member, state.st_size)
                else:
                    self.refuse(ascii(member), "is not a regular file (a link, or a device)")

    def read(self, member: str) -> bytes:
        try:
            number = os.open(self.path / member, os.O_RDONLY | os.O_NOFOLLOW)
            with os.fdopen(number, "rb") as file:
                return file.read(LARGEST)
        except OSError as error:
            raise InputError(
                self.path, member, f"cannot be read ({error.strerror})", _REMEDY
            ) from error


class Zip(Members):
    """A crate in a zip file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            self._file = zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile, ValueError) as error:
            raise InputError(path, "", f"is not a zip file ({error})", _REMEDY) from error
        self._infos: dict[str, zipfile.ZipInfo] = {}
        for info in self._file.infolist():
            if not info.orig_filename.endswith("/"):
                self._add_info(info)
        total, packed = sum(self.sizes.values()), path.stat().st_size
        if total > _SMALL + _FOLD * packed:
            self.refuse("", f"would expand from {packed} to {total} bytes")

    def _add_info(self, info: zipfile.ZipInfo) -> None:
        member, kind = info.orig_filename, stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            self.refuse(ascii(member), "is not a regular file (a link, or a device)")
        if info.flag_bits & _ENCRYPTED:
            self.refuse(ascii(member), "is encrypted", "pack the crate without a password")
        if info.file_size > _SMALL + _FOLD * info.compress_size:
            self.refuse(
                ascii(member), f"would expand from {info.compress_size} to {info.file_size} bytes"
            )
        self._add(member, info.file_size)
        self._infos[member] = info

    def read(self, member: str) -> bytes:
        try:
            return self._file.read(self._infos[member])
        except (OSError, EOFError, zipfile.BadZipFile, zlib.error, ValueError) as error:
            raise InputError(self.path, member, f"cannot be read ({error})", _REMEDY) from error
        except (NotImplementedError, RuntimeError) as error:  # unknown compression, or a password
            raise InputError(self.path, member, str(error), "pack the crate again") from error


def members(path: Path) -> Members:
    """List the files of the crate at `path`.

    Raises:
        InputError: there is no crate, or one that is unsafe to open.
    """
    if not path.exists():
        raise InputError(path, "", "does not exist", "give a crate's folder or zip file")
    found = Folder(path) if path.is_dir() else Zip(path)
    if METADATA not in found.sizes:
        found.refuse(
            "", f"is not an RO-Crate (it has no {METADATA})", "give a crate's folder or zip"
        )
    return found
