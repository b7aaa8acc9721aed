"""`thinwire compare A B`: bundles of one study from two places side by side, or recorded captures
in the place of one or both. A front of the R package; no arithmetic here."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path

from hil.base.errors import InputError, LabError, ToolMissing
from hil.base.paths import ROOT
from hil.commands import options
from hil.system import tools

SCRIPT = ROOT / "workflow" / "scripts" / "compare.R"
DIFFERS = 4  # its exit status
DESCRIPTION = """\
Do the bundles of one study from two testbeds, boards or versions measure the same? A verdict for
each metric and condition, by the rule of the claims (docs/claims.md), and the distance of the
distributions of round trips. A recorded capture is one run, of what a capture alone tells; it is
put beside one condition of a study, which --point names. Two runs of one trial: 'thinwire trial
compare' finds the first event at which they part.

Exit status: 0; 1 if a metric differs; 2 for bad input.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = DESCRIPTION
    for name in "ab":
        parser.add_argument(
            name,
            type=Path,
            metavar=name.upper(),
            help="a folder of bundles or one bundle; a capture or a folder of captures",
        )
    parser.add_argument(
        "--point", nargs="+", default=[], metavar="KEY=VALUE", help="only trials with these levels"
    )
    options.add_capture(parser)
    options.add_format(parser)
    parser.add_argument("--plot", metavar="FILE", help="draw the round trips: .pdf or .png")


def run(arguments: argparse.Namespace) -> int:
    """0: nothing differs; 1: a metric does."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise ToolMissing("Rscript", "the analysis", "apt-get install r-base-core")
    for path in (arguments.a, arguments.b):
        if not path.exists():
            raise InputError(path, "", "is not there", "give a folder of bundles, or a capture")
    words = [f"--a={arguments.a}", f"--b={arguments.b}", "--point", *arguments.point]
    words += options.words(arguments, (*options.CAPTURE, "format", "plot"))
    done = subprocess.run([rscript, SCRIPT, *words], check=False, env=tools.r_environment())
    if done.returncode in (0, DIFFERS):
        return int(done.returncode == DIFFERS)
    return InputError.status if done.returncode == InputError.status else LabError.status
