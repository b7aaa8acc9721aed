"""What the shell can complete beyond options: studies, trials, levels, modes, metrics, files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from hil.base.errors import ThinwireError
from hil.design.protocols import modes as known_modes
from hil.design.protocols import protocols
from hil.design.studies import available, load_study
from hil.design.trials import Trial


def studies(**_: object) -> list[str]:
    """Return the names of all studies."""
    return available()


def modes(**_: object) -> list[str]:
    """Return the names of all protocols and modes."""
    return [*protocols(), *known_modes()]


def _trials(arguments: argparse.Namespace) -> list[Trial]:
    """Return the trials of the study on the command line; none if there is no such study."""
    try:
        return load_study(arguments.study).trials(arguments.profile or "quick")
    except ThinwireError:
        return []


def trials(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Return the names of the trials of the study on the command line."""
    return [trial.id for trial in _trials(parsed_args)]


def levels(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Return KEY=VALUE for each factor of the study on the command line and each of its levels."""
    found = {
        f"{key}={json.dumps(value).strip(chr(34))}"
        for trial in _trials(parsed_args)
        for key, value in trial.point.items()
    }
    return sorted(found)


def testbeds(**_: object) -> Iterable[str]:
    """Return the names of the testbeds."""
    from hil.testbeds.runner import TESTBEDS  # noqa: PLC0415 - slow to import

    return sorted(TESTBEDS)


def metrics(**_: object) -> list[str]:
    """Return the names of the metrics of docs/metrics.md that stand for one metric each."""
    from hil.commands.analyze import definitions  # noqa: PLC0415 - imports this module

    return [name for names, _, _ in definitions() for name in names if "*" not in name]


def files(prefix: str, **_: object) -> Iterable[str]:
    """Return the files and folders whose path begins with `prefix`."""
    from argcomplete.completers import FilesCompleter  # noqa: PLC0415 - slow to import

    return FilesCompleter()(prefix)


def otherwise(prefix: str, action: argparse.Action, **_: object) -> Iterable[str]:
    """Complete an argument that has neither a completer nor choices: a path, or nothing."""
    return files(prefix) if action.type is Path else []
