"""What the analysis needs beside Python, and what a bundle says without it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hil.base.errors import ToolMissing
from hil.bundle import verify
from hil.commands.options import aligned
from hil.system import tools

# Program -> the Debian packages that the analysis needs of it.
PACKAGES = {
    "Rscript": ("r-base-core", "r-cran-data.table", "r-cran-jsonlite", "r-cran-yaml"),
    "tshark": ("tshark",),
}
_HEAD = ("trial", "outcome", "sent", "acknowledged", "received", "frames captured")


def lacking() -> list[str]:
    """Return which programs of the analysis are missing. R names a package that it lacks itself."""
    return [name for name in PACKAGES if tools.find(name) is None]


def remedy() -> str:
    """Return the command that installs what is missing."""
    return " ".join(["apt-get install", *(one for name in lacking() for one in PACKAGES[name])])


def missing(needed_for: str) -> ToolMissing:
    """Return the error that says what is missing, and how to install it."""
    return ToolMissing(" and ".join(lacking()), needed_for, remedy())


def rscript() -> str:
    """Return the path of Rscript.

    Raises:
        ToolMissing: R or tshark is missing.
    """
    if lacking():
        raise missing("the analysis")
    return str(tools.find("Rscript"))


def count_lines(folders: Sequence[Path]) -> list[str]:
    """Return a table of what logs and capture of each bundle count: messages that the device logged
    as sent and acknowledged and the server as received, and frames of the capture. `-`: a foreign
    program logs none.

    Raises:
        InputError, TrialError: a bundle is damaged.
    """
    rows = [_HEAD]
    for folder in folders:
        one = verify.check(folder, dissect=False)
        own = ("-", "-") if one.foreign else (str(one.sent), str(one.acknowledged))
        rows.append((one.trial, one.outcome, *own, str(one.received), str(one.frames)))
    return aligned(rows)
