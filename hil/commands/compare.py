"""`thinwire compare A B`: compare bundles of one study, or captures, from two sources; `thinwire
compare --modes A B`: compare two modes of a study.

A front end of the R package, without arithmetic.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

from hil.base.errors import InputError, LabError
from hil.base.paths import ROOT
from hil.commands import analysis, complete, options, project
from hil.design.protocols import choose_modes
from hil.design.studies import load_study
from hil.system import tools

SCRIPT = ROOT / "workflow" / "scripts" / "compare.R"
DIFFERS = 4  # exit status of the script
MODES_SCRIPT = ROOT / "workflow" / "scripts" / "compare_modes.R"
STUDY = "matrix"
DESCRIPTION = """\
Compare two modes of a study from its results, or bundles of one study from two testbeds, boards or
versions. Prints a verdict for each metric and condition, by the rule of the claims
(docs/claims.md), and the distance between the round-trip distributions. A capture counts as one
run and is compared with the condition that --point names. For two runs of the same trial,
'thinwire trial compare' finds their first difference.

  thinwire compare --modes mqtt-qos1 coap-con
  thinwire compare data/raw/matrix /tmp/boards/matrix
  thinwire compare data/raw/kuleuven trace.pcapng --device 192.0.2.7 --point mode=coap-con

Exit status: 0; 1 if a metric of A and B differs; 2 for bad input.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    for name in "ab":
        parser.add_argument(
            name,
            type=Path,
            nargs="?",
            metavar=name.upper(),
            help="a bundle, a capture, or a folder of either",
        )
    parser.add_argument(
        "--modes", nargs=2, metavar="MODE", help="compare two modes, such as: mqtt-qos1 coap-con"
    ).completer = complete.modes  # type: ignore[attr-defined]
    parser.add_argument(
        "--study",
        default=STUDY,
        metavar="STUDY",
        help="with --modes: the study",
    ).completer = complete.studies  # type: ignore[attr-defined]
    parser.add_argument(
        "--all", action="store_true", help="with --modes: every metric that has a margin"
    )
    parser.add_argument(
        "--point", nargs="+", default=[], metavar="KEY=VALUE", help="only trials with these levels"
    )
    options.add_capture(parser)
    options.add_format(parser)
    parser.add_argument("--plot", metavar="FILE", help="plot the round trips: .pdf or .png")


def _mode(word: str) -> str:
    """Return the name of a mode; a protocol with one mode may stand for it."""
    found = choose_modes(word, "--modes", "")
    if len(found) > 1:
        raise InputError("--modes", word, "has several modes", f"choose one of {', '.join(found)}")
    return found[0]


def _modes_command(arguments: argparse.Namespace) -> list[str]:
    """Return the words of the script that compares two modes.

    Raises:
        InputError: the study has no results.
    """
    if arguments.a is not None or arguments.plot:
        extra = "--plot" if arguments.plot else str(arguments.a)
        raise InputError("--modes", extra, "does not go with --modes", "leave one of them out")
    study = load_study(arguments.study).name
    tables = [
        project.path(f"results/{kind}/{study}.{ending}")
        for kind, ending in (("metrics", "csv"), ("samples", "csv.gz"), ("factors", "csv"))
    ]
    for table in tables:
        if not table.is_file():
            remedy = project.remake(table, f"--config 'studies=[{study}]' ")
            raise InputError(table, "", "is not there", remedy)
    words = [str(MODES_SCRIPT), "--modes", *map(_mode, arguments.modes)]
    words += ["--tables", *map(str, tables), f"--all={'yes' if arguments.all else 'no'}"]
    return [*words, "--point", *arguments.point, f"--format={arguments.format}"]


def _sides_command(arguments: argparse.Namespace) -> list[str]:
    """Return the words of the script that compares two sources."""
    if arguments.b is None:
        raise InputError(
            "compare", "", "needs two sources, or --modes", "see 'thinwire compare --help'"
        )
    for path in (arguments.a, arguments.b):
        if not path.exists():
            raise InputError(path, "", "is not there", "give a folder of bundles, or a capture")
    words = [str(SCRIPT), f"--a={arguments.a}", f"--b={arguments.b}", "--point", *arguments.point]
    return words + options.words(arguments, (*options.CAPTURE, "format", "plot"))


def run(arguments: argparse.Namespace) -> int:
    """Return 0 if no metric differs, 1 if one does."""
    rscript = analysis.rscript()
    words = _modes_command(arguments) if arguments.modes else _sides_command(arguments)
    done = subprocess.run([rscript, *words], check=False, env=tools.r_environment())
    if done.returncode in (0, DIFFERS):
        return int(done.returncode == DIFFERS)
    return InputError.status if done.returncode == InputError.status else LabError.status
