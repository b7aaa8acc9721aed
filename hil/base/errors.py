"""The error tree: few types, each says what was wrong, where, and what to do next.

`cli.main` turns them into one line on standard error and an exit status; nothing else catches
them except to add context.
"""

from __future__ import annotations

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
        super().__init__(f"{where}: {problem}; {remedy}")


class ToolMissing(InputError):
    """A program or file that Thinwire needs is not there."""

    def __init__(self, tool: str, needed_for: str, remedy: str) -> None:
        super().__init__(tool, "", f"not found, needed for {needed_for}", remedy)


class TrialError(ThinwireError):
    """The trial failed (its device, server or link), or its bundle is invalid (status 1)."""


class LabError(ThinwireError):
    """The laboratory failed, which says nothing about the trial: there is no bundle of it."""

    status = 3


# The outcome in a machine's report of a LabError inside it; never in a bundle.
LAB_FAILED = "unready"


class TransientHostError(LabError):
    """What the host did to the laboratory (a signal, no memory, a full disk): worth another try."""
