"""`thinwire nbiot`: run the NB-IoT simulation, the program build/sim/nbiot/nbiot."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from hil.base.errors import ToolMissing
from hil.base.paths import ROOT
from hil.commands import complete
from hil.system import progress

PROGRAM = ROOT / "build" / "sim" / "nbiot" / "nbiot"
CONFIG = ROOT / "sim" / "nbiot" / "config"

EXAMPLES = """\
Examples:
  thinwire nbiot check quick/study
  thinwire nbiot run quick/study --out nbiot
"""


def _studies(prefix: str, **_: object) -> list[str]:
    """Complete a study: the names of those in sim/nbiot/config, and files."""
    known = sorted(CONFIG.rglob("*.json"))
    names = [path.relative_to(CONFIG).with_suffix("").as_posix() for path in known]
    return [*names, *complete.files(prefix)]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `thinwire nbiot` to its parser."""
    parser.epilog = EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, text in (
        ("run", "run a study and write runs.csv, results.csv and coverage.csv"),
        ("check", "check a study file"),
        ("bench", "run a study and print events and time of each run and load as CSV"),
    ):
        action = actions.add_parser(name, help=text, description=text)
        action.add_argument(
            "study",
            help="a JSON file, or the name of one in sim/nbiot/config: quick/study, full/study ...",
        ).completer = _studies  # type: ignore[attr-defined]
        action.add_argument(
            "--threads", type=int, default=os.cpu_count() or 1, help="default: one per processor"
        )
        if name != "check":
            action.add_argument(
                "--out", metavar="DIR", required=name == "run", help="folder of the tables"
            ).completer = complete.files  # type: ignore[attr-defined]


def study_file(name: str) -> Path:
    """Return the study file for `name`: a path, or the name of a file in sim/nbiot/config."""
    known = CONFIG / f"{name}.json"
    return known if known.is_file() and not Path(name).is_file() else Path(name)


def run(arguments: argparse.Namespace) -> int:
    """Run the simulator; return its exit status: 0, 1 if a run failed, 2 for bad input."""
    if not PROGRAM.is_file():
        raise ToolMissing(
            str(PROGRAM.relative_to(ROOT)),
            "the NB-IoT simulation",
            "cmake -S sim -B build/sim -G Ninja && cmake --build build/sim --target nbiot",
        )
    file = study_file(arguments.study)
    words = [str(PROGRAM), arguments.action, str(file)]
    words += ["--threads", str(arguments.threads)]
    if arguments.action != "check" and arguments.out is not None:
        words += ["--out", arguments.out]
    status = progress.of_program(words, os.environ)
    if arguments.action == "check" and status == 0:
        print(f"{file}: no error")
    return status
