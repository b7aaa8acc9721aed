"""Which trials a wheel can run: those whose servers are in an image that is installed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from hil.base.errors import InputError
from hil.design.studies import load_study
from hil.design.trials import Trial
from hil.machine import flavours, shipped
from hil.machine.shipped import IN_WHEEL

IN_CLONE = "  # in a clone of the project"
_PROFILES = ("quick", "full")


def _needs(trial: Trial) -> str:
    """Return the name of the image that a trial needs beside the common one; empty if none."""
    flavour = flavours.of(trial.facts.server.name)
    return flavour.name if flavour.more else ""


def _lacks(name: str) -> bool:
    """Return whether the image of this name is needed and not installed."""
    return bool(name) and not shipped.has(name)


def check(trials: Sequence[Trial]) -> None:
    """Check before the first trial that a wheel can run all of them.

    Raises:
        InputError: this is a wheel, and it lacks an image.
    """
    if not IN_WHEEL:
        return
    needed = [_needs(trial) for trial in trials]
    if names := sorted(filter(_lacks, set(needed))):
        quoted = ", ".join(f"'{name}'" for name in names)
        count = sum(name in names for name in needed)
        problem = f"{count} of {len(trials)} trials need the image {quoted}"
        wheels = [shipped.wheel_of(name) for name in names]
        more = f"install {' and '.join(wheels)}" if all(wheels) else "run it in a clone"
        remedy = f"choose others with --point or --trial, or {more}"
        raise InputError(trials[0].study, "", f"{problem}, which is not installed", remedy)


@cache
def _images(study: str) -> dict[str, str]:
    """Return the image that each trial of a study needs beside the common one."""
    found = load_study(study)
    return {one.id: _needs(one) for profile in _PROFILES for one in found.trials(profile)}


def marked(command: str, study: str, trial: str) -> str:
    """Return a command that runs a trial; in a wheel that cannot, with where it runs."""
    if not IN_WHEEL or not _lacks(name := _images(study).get(trial, "")):
        return command
    wheel = shipped.wheel_of(name)
    return command + (f"  # with {wheel}" if wheel else IN_CLONE)
