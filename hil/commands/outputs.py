"""Where a command writes: checked before work that takes time; errors have the cause's remedy."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from hil.base.errors import InputError


def check_folder(folder: Path) -> None:
    """Check before any trial that bundles can be stored below a folder.

    Raises:
        InputError: they cannot; the remedy is that of the cause.
    """
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return
    number = errno.EACCES if there.is_dir() else errno.ENOTDIR
    problem = f"cannot be written ({there}: {os.strerror(number)})"
    raise InputError("--out", str(folder), problem, "name a folder that you may write to")


def _refuse(file: Path, option: str, cause: str | None) -> InputError:
    return InputError(file, "", f"cannot be written ({cause})", f"give another file to {option}")


def check_file(file: Path | None, option: str) -> None:
    """Check that a file, if one is given, can be written.

    Raises:
        InputError: it cannot; names the option.
    """
    if file is None:
        return
    number = 0
    if file.is_dir():
        number = errno.EISDIR
    elif not file.parent.is_dir():
        number = errno.ENOTDIR if file.parent.exists() else errno.ENOENT
    elif not os.access(file if file.exists() else file.parent, os.W_OK):
        number = errno.EACCES
    if number:
        raise _refuse(file, option, os.strerror(number))


def write_text(text: str, file: Path, option: str) -> None:
    """Write the text as the file that an option names.

    Raises:
        InputError: it cannot be written; names the option.
    """
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _refuse(file, option, error.strerror or str(error)) from error
