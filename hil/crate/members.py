"""The files of a crate that may come from anybody: a folder or a zip file, nothing trusted.

Only plain files at plain places (`layout.PLACE`) of bounded size are taken; nothing is ever
extracted by a name that the crate gives.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from abc import ABC, abstractmethod
from pathlib import Path

from hil.base.errors import InputError
from hil.crate.layout import METADATA, PLACE

LARGEST = 1 << 30  # bytes of a file
MOST = 1_000_000  # files
_FOLD = 200  # how much larger than itself a zip file may become; text shrinks to a tenth
_SMALL = 1 << 20  # below this, whatever it shrank to
_ENCRYPTED = 0x1
_REMEDY = "do not use it; get the crate from where it is kept"


class Members(ABC):
    """The files of a crate: their places, with their sizes in bytes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sizes: dict[str, int] = {}

    def _add(self, place: str, size: int) -> None:
        """Take a file into the list, or refuse the crate."""
        if not PLACE.fullmatch(place):
            self.refuse(ascii(place), "is a place that no crate of Thinwire has")
        if place in self.sizes:
            self.refuse(place, "is there twice")
        if size > LARGEST:
            self.refuse(place, f"has {size} bytes, {LARGEST} are the limit")
        if len(self.sizes) == MOST:
            self.refuse(place, f"is beyond the limit of {MOST} files")
        self.sizes[place] = size

    def refuse(self, place: str, problem: str, remedy: str = _REMEDY) -> None:
        """Raise InputError."""
        raise InputError(self.path, place, problem, remedy)

    @abstractmethod
    def read(self, place: str) -> bytes:
        """A file's bytes; InputError if it cannot be read."""


class Folder(Members):
    """A crate as a folder."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._walk(path, "")

    def _walk(self, folder: Path, inside: str) -> None:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                place = inside + entry.name
                state = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(state.st_mode):
                    self._walk(Path(entry.path), f"{place}/")
                elif stat.S_ISREG(state.st_mode):
                    self._add(place, state.st_size)
                else:
                    self.refuse(ascii(place), "is no plain file (a link, or a device)")

    def read(self, place: str) -> bytes:
        try:
            number = os.open(self.path / place, os.O_RDONLY | os.O_NOFOLLOW)
            with os.fdopen(number, "rb") as file:
                return file.read(LARGEST)
        except OSError as error:
            raise InputError(
                self.path, place, f"cannot be read ({error.strerror})", _REMEDY
            ) from error


class Zip(Members):
    """A crate as a zip file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            self._file = zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile, ValueError) as error:
            raise InputError(path, "", f"is no zip file ({error})", _REMEDY) from error
        self._infos: dict[str, zipfile.ZipInfo] = {}
        for info in self._file.infolist():
            if not info.orig_filename.endswith("/"):
                self._take(info)
        total, packed = sum(self.sizes.values()), path.stat().st_size
        if total > _SMALL + _FOLD * packed:
            self.refuse("", f"would become {total} bytes from {packed}")

    def _take(self, info: zipfile.ZipInfo) -> None:
        place, kind = info.orig_filename, stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            self.refuse(ascii(place), "is no plain file (a link, or a device)")
        if info.flag_bits & _ENCRYPTED:
            self.refuse(ascii(place), "is encrypted", "pack the crate without a password")
        if info.file_size > _SMALL + _FOLD * info.compress_size:
            self.refuse(
                ascii(place), f"would become {info.file_size} bytes from {info.compress_size}"
            )
        self._add(place, info.file_size)
        self._infos[place] = info

    def read(self, place: str) -> bytes:
        try:
            return self._file.read(self._infos[place])
        except (OSError, EOFError, zipfile.BadZipFile, zlib.error, ValueError) as error:
            raise InputError(self.path, place, f"cannot be read ({error})", _REMEDY) from error
        except (NotImplementedError, RuntimeError) as error:  # another compression, a password
            raise InputError(self.path, place, str(error), "pack the crate anew") from error


def members(path: Path) -> Members:
    """The files of the crate at `path`.

    Raises:
        InputError: there is none, or it is one that nobody should open.
    """
    if not path.exists():
        raise InputError(path, "", "is not there", "give a crate's folder or zip file")
    found = Folder(path) if path.is_dir() else Zip(path)
    if METADATA not in found.sizes:
        found.refuse("", f"is no RO-Crate (it has no {METADATA})", "give a crate's folder or zip")
    return found
