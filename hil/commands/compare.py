"""`thinwire compare A B`: compare bundles of one study, or captures, from two sources.

A front end of the R package, without arithmetic.
"""

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
DIFFERS = 4  # exit status of the script
DESCRIPTION = """\
Compare bundles of one study from two testbeds, boards or versions. Prints a verdict for each metric
and condition, by the rule of the claims (docs/claims.md), and the distance between the round-trip
distributions. A capture counts as one run and is compared with the condition that --point names.
For two runs of the same trial, 'thinwire trial compare' finds their first difference.

  thinwire compare data/raw/matrix /tmp/boards/matrix
  thinwire compare data/raw/kuleuven trace.pcapng --device 192.0.2.7 --point mode=coap-con

Exit status: 0; 1 if a metric differs; 2 for bad input.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    for name in "ab":
        parser.add_argument(
            name,
            type=Path,
            metavar=name.upper(),
            help="a bundle, a capture, or a folder of either",
        )
    parser.add_argument(
        "--point", nargs="+", default=[], metavar="KEY=VALUE", help="only trials with these levels"
    )
    options.add_capture(parser)
    options.add_format(parser)
    parser.add_argument("--plot", metavar="FILE", help="plot the round trips: .pdf or .png")


def run(arguments: argparse.Namespace) -> int:
    """Return 0 if no metric differs, 1 if one does."""
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
