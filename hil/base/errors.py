"""The errors: a few types, each with what is wrong, where, and what to do about it.

`cli.main` prints them as one line on standard error and sets the exit status. Other code catches
them only to add context or to try again.
"""

from __future__ import annotations

import sys
from pathlib import Path


class ThinwireError(Exception):
    """Base of all expected errors. `status` is the exit status of the command line."""

    status = 1


class InputError(ThinwireError):
    """Bad input: a configuration, study, trial, bundle, capture or argument.

    Attributes:
        source: the file (or argument) that is wrong.
        key: the key, line or offset within it; empty if the whole file is meant.
        problem: what is wrong.
        remedy: what to do about it.
    """

    status = 2

    def __init__(self, source: str | Path, key: str, problem: str, remedy: str) -> None:
        self.source, self.key, self.problem, self.remedy = str(source), key, problem, remedy
        where = f"{self.source}: {key}" if key else self.source
        super().__init__(_plain(f"{where}: {problem}; {remedy}"))


class ToolMissing(InputError):
    """A program or file that Thinwire needs is missing."""

    def __init__(self, tool: str, needed_for: str, remedy: str) -> None:
        super().__init__(tool, "", f"not found, needed for {needed_for}", remedy)


class TrialError(ThinwireError):
    """The trial failed (its device, server or link), or its bundle is invalid (status 1)."""


class LabError(ThinwireError):
    """The laboratory failed, so there is no result and no bundle (status 3)."""

    status = 3


def _plain(text: str) -> str:
    """Return a text on one line, with escapes for characters that cannot be printed."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def print_error(error: ThinwireError) -> int:
    """Print an error as one line on standard error; return its exit status."""
    print(f"thinwire: error: {error}", file=sys.stderr)
    return error.status


# The outcome that a machine reports after a LabError inside it; never in a bundle.
LAB_FAILED = "unready"


class TransientHostError(LabError):
    """The host made the laboratory fail (a signal, no memory, a full disk); a retry may succeed."""
