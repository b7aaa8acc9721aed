"""How long trials will take on this host, from the trials that it has run.

`build/pace.json`, of a wheel `~/.cache/thinwire/pace.json`, holds for each kind of trial (testbed,
board, link, background stations or not) the virtual and the wall-clock seconds of its last trials.
The estimate is a straight line through them: a start-up time, and wall-clock seconds for each
virtual second.
"""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Iterable
from pathlib import Path

from hil.base.paths import ROOT
from hil.design.trials import Trial
from hil.machine.shipped import IN_WHEEL
from hil.system.progress import in_words
from hil.testbeds.runner import lasts_s

_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or os.environ.get("HOME", "") + "/.cache")
FILE = (_CACHE / "thinwire" if IN_WHEEL else ROOT / "build") / "pace.json"
_KEPT = 40  # trials of a kind
Known = dict[str, list[tuple[float, float]]]


def _kind(trial: Trial) -> str:
    parameters = trial.parameters
    profile = parameters.get("background_profile", "none")
    beside = "alone" if profile in ("none", ["none"]) else "beside others"
    return " ".join([trial.testbed, trial.board, str(parameters.get("link", "")), beside])


def read() -> Known:
    """Return what this host has measured; nothing where the file is missing or unreadable."""
    try:
        found = json.loads(FILE.read_text(encoding="utf-8"))
        return {
            str(kind): [(float(virtual_s), float(wall_s)) for virtual_s, wall_s in pairs]
            for kind, pairs in found.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def note(trial: Trial, wall_s: float) -> None:
    """Keep how long a trial took. A folder that cannot be written is no reason to fail."""
    known = read()
    pairs = known.setdefault(_kind(trial), [])
    pairs.append((lasts_s(trial.facts), round(wall_s, 3)))
    known[_kind(trial)] = pairs[-_KEPT:]
    try:
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text(json.dumps(known, sort_keys=True), encoding="utf-8")
    except OSError:
        return


def _wall_s(pairs: list[tuple[float, float]], virtual_s: float) -> float:
    """Return the wall-clock time of a trial by the least-squares line, never below 0."""
    virtual, wall = zip(*pairs, strict=True)
    if len(set(virtual)) < 2:
        return statistics.mean(wall)
    slope, start = statistics.linear_regression(virtual, wall)
    return max(0.0, start) + max(0.0, slope) * virtual_s


def estimate_s(trials: Iterable[Trial], known: Known | None = None) -> float | None:
    """Return how long the trials will take, one after the other, in s; None if this host has run no
    trial of one of their kinds."""
    known = read() if known is None else known
    total = 0.0
    for trial in trials:
        pairs = known.get(_kind(trial))
        if not pairs:
            return None
        total += _wall_s(pairs, lasts_s(trial.facts))
    return total


def in_brief(trials: list[Trial], known: Known | None = None) -> str:
    """Return the estimate in words."""
    found = estimate_s(trials, known)
    if found is None:
        return "time unknown: this host has run no such trial"
    return f"about {in_words(found)} on this host, one after the other"


def announce(trials: list[Trial]) -> str:
    """Return what is about to run: trials, virtual time, and how long they will take."""
    virtual_s = sum(lasts_s(trial.facts) for trial in trials)
    return f"{len(trials)} trials, {in_words(virtual_s)} of virtual time; {in_brief(trials)}"
