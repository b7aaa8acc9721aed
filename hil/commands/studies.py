"""`thinwire studies [STUDY]`: what there is to run, and what has been run."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from hil.design.studies import DEFAULT_TESTBED, Study, available, load_study


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", nargs="*", help="list the trials of these studies")
    parser.add_argument("--profile", default="quick", choices=["quick", "full"])
    parser.add_argument("--testbed", default=DEFAULT_TESTBED)
    parser.add_argument(
        "--json", action="store_true", help="for machines: counts, beside those of the full design"
    )
    parser.add_argument("--data", type=Path, default=Path("data/raw"), metavar="DIR")


def _state(folder: Path) -> str:
    """The outcome of a stored trial; '-' if there is no bundle."""
    try:
        lab = json.loads((folder / "lab.json").read_text(encoding="utf-8"))
        return str(lab["outcome"])
    except (OSError, ValueError, KeyError, TypeError):
        return "-"


def _summary(study: Study, arguments: argparse.Namespace) -> dict[str, str | int]:
    """How much of a study there is: trials stored of this profile, and of the full design."""
    trials = study.trials(arguments.profile, arguments.testbed)
    states = [_state(arguments.data / study.name / trial.id) for trial in trials]
    return {
        "study": study.name,
        "question": study.document["question"],
        "trials": f"{len(states) - states.count('-')} of {len(states)}",
        "full": len(study.trials("full", arguments.testbed)),
        "wrong": len(states) - states.count("-") - states.count("ok"),
    }


def run(arguments: argparse.Namespace) -> int:
    names = arguments.study or available()
    if arguments.json:
        print(json.dumps([_summary(load_study(name), arguments) for name in names]))
        return 0
    for name in names:
        study = load_study(name)
        trials = study.trials(arguments.profile, arguments.testbed)
        states = [_state(arguments.data / study.name / trial.id) for trial in trials]
        if arguments.study:
            print(f"{study.document['title']}: {study.document['question']}")
            for trial, state in zip(trials, states, strict=True):
                print(f"{state:8} {trial.id}")
        else:
            done = len(states) - states.count("-")
            print(f"{study.name:16} {done:4} of {len(trials):4} trials  {study.document['title']}")
    return 0
