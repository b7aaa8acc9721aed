"""`thinwire studies [STUDY]`: list studies or their trials, with outcomes."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from hil.base.errors import InputError, print_error
from hil.commands import complete, options, pace, project
from hil.design.studies import Study, available, load_study
from hil.design.trials import DEFAULT_TESTBED, Trial
from hil.system import colours
from hil.system.progress import Bar
from hil.testbeds.runner import lasts_s

ABSENT = "-"
EXAMPLES = """\
Examples:
  thinwire studies
  thinwire studies matrix --watch
"""
_LOOK_S = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    names = parser.add_argument(
        "study", nargs="*", metavar="STUDY", help="list the trials of these studies"
    )
    names.completer = complete.studies  # type: ignore[attr-defined]
    options.add_profile(parser)
    parser.add_argument(
        "--testbed", default=DEFAULT_TESTBED, help="where the trials run"
    ).completer = complete.testbeds  # type: ignore[attr-defined]
    parser.add_argument(
        "--json", action="store_true", help="print counts as JSON, with those of the full design"
    )
    parser.add_argument(
        "--trials", action="store_true", help="with --json: also print each trial's outcome"
    )
    parser.add_argument(
        "--watch", action="store_true", help="print each trial as it finishes, until all have"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="root of the bundles (default: data/raw of the project)",
    )


def _state(folder: Path) -> str:
    """Return the outcome of a stored trial; '-' if there is no bundle."""
    try:
        lab = json.loads((folder / "lab.json").read_text(encoding="utf-8"))
        return str(lab["outcome"])
    except (OSError, ValueError, KeyError, TypeError):
        return ABSENT


def _states(trials: list[Trial], data: Path) -> dict[str, str]:
    """Return the outcome of each trial, by its name within its study."""
    return {trial.id: _state(data / trial.study / trial.id) for trial in trials}


def _summary(study: Study, arguments: argparse.Namespace) -> dict[str, object]:
    """Count the stored trials of a study in this profile, and those of the full design."""
    outcomes = _states(study.trials(arguments.profile, arguments.testbed), arguments.data)
    states = list(outcomes.values())
    stored = len(states) - states.count(ABSENT)
    return {
        "study": study.name,
        "question": study.document["question"],
        "trials": f"{stored} of {len(states)}",
        "stored": stored,
        "planned": len(states),
        "full": len(study.trials("full", arguments.testbed)),
        "wrong": stored - states.count("ok"),
        **({"outcomes": outcomes} if arguments.trials else {}),
    }


def watch(trials: list[Trial], data: Path) -> int:
    """Print finished trials, then each that finishes; return 1 if the outcome of one is not ok.

    The progress bar weighs trials by their virtual duration, which varies widely.
    """
    known: dict[tuple[str, str], str] = {}
    with Bar(sum(lasts_s(trial.facts) for trial in trials)) as bar:
        while True:
            done_s = 0.0
            for trial in trials:
                key = trial.study, trial.id
                state = known.get(key) or _state(data / trial.study / trial.id)
                if state == ABSENT:
                    continue
                done_s += lasts_s(trial.facts)
                if key not in known:
                    known[key] = state
                    bar.clear()
                    print(f"{colours.word(state, 8)} {trial.study}/{trial.id}", flush=True)
            found = Counter(known.values())
            if len(known) == len(trials):
                return int(found["ok"] < len(trials))
            words = ", ".join(f"{number} {state}" for state, number in sorted(found.items()))
            bar.show(done_s, f"{len(known)} of {len(trials)} trials: {words or 'none yet'}")
            time.sleep(_LOOK_S)


def _list(study: Study, arguments: argparse.Namespace) -> None:
    trials = study.trials(arguments.profile, arguments.testbed)
    outcomes = _states(trials, arguments.data)
    if arguments.study:
        print(f"{study.document['title']}: {study.document['question']}")
        left = [trial for trial in trials if outcomes[trial.id] == ABSENT]
        if left:
            print(f"still to run: {pace.announce(left)}")
        for name, state in outcomes.items():
            print(f"{colours.word(state, 8)} {name}")
    else:
        done = len(outcomes) - list(outcomes.values()).count(ABSENT)
        print(f"{study.name:16} {done:4} of {len(outcomes):4} trials  {study.document['title']}")


def run(arguments: argparse.Namespace) -> int:
    arguments.data = arguments.data or project.path(project.BUNDLES)
    if arguments.watch and (arguments.json or not arguments.study):
        raise InputError(
            "--watch", "", "needs the names of studies and excludes --json", "name studies"
        )
    broken = 0
    studies = []
    for name in arguments.study or available():
        try:
            studies.append(load_study(name))
        except InputError as error:
            if arguments.study:
                raise
            broken = print_error(error)  # the others are listed all the same
    if arguments.watch:
        chosen = [study.trials(arguments.profile, arguments.testbed) for study in studies]
        return watch([trial for trials in chosen for trial in trials], arguments.data)
    if arguments.json:
        print(json.dumps([_summary(study, arguments) for study in studies]))
        return broken
    for study in studies:
        _list(study, arguments)
    return broken
