"""What the shell can complete beyond options: names of studies, trials, levels, modes, claims."""

from __future__ import annotations

import argparse
import json

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
