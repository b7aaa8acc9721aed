"""`thinwire studies [STUDY]`: what there is to run, and what has been run."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from hil.design.studies import DEFAULT_TESTBED, available, load_study


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", nargs="?", help="list the trials of this study")
    parser.add_argument("--profile", default="quick", choices=["quick", "full"])
    parser.add_argument("--testbed", default=DEFAULT_TESTBED)
    parser.add_argument("--data", type=Path, default=Path("data/raw"), metavar="DIR")


def _state(folder: Path) -> str:
    """The outcome of a stored trial; '-' if there is no bundle."""
    try:
        lab = json.loads((folder / "lab.json").read_text(encoding="utf-8"))
        return str(lab["outcome"])
    except (OSError, ValueError, KeyError, TypeError):
        return "-"


def run(arguments: argparse.Namespace) -> int:
    names = [arguments.study] if arguments.study else available()
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
