"""`thinwire analyze`: measure captures. A front end of the R package, without arithmetic."""

from __future__ import annotations

import argparse
import re
import shutil
import textwrap

from hil.base.errors import ToolMissing
from hil.base.paths import ROOT
from hil.commands import options
from hil.system import progress, tools

SCRIPT = ROOT / "workflow" / "scripts" / "analyze.R"
METRICS = ROOT / "docs" / "metrics.md"

DESCRIPTION = """\
Measure each capture. Without --device, list the conversations of each capture with their protocols
and message counts, and suggest the next command.

  thinwire analyze trace.pcapng
  thinwire analyze trace.pcapng --device 192.0.2.7 --topic sensors/t --format csv

Exit status: 0; 2 if a capture or an option is bad input; 3 for an internal error. A bad capture is
reported on standard error, and the remaining captures are still measured.
"""

EPILOG = """\
Metrics. docs/metrics.md has sources and details; the code is in workflow/R/capture/R. Each mean is
printed with its 95 % confidence interval, and with the median, the 95th and 99th percentile and the
maximum of the values.
"""


def definitions() -> str:
    """Format the metrics and their definitions from the first table of docs/metrics.md."""
    lines = METRICS.read_text(encoding="utf-8").split("| metric |", 1)[-1].splitlines()
    rows = [line.split("|") for line in lines[2:]]
    out = []
    for row in rows[: next((i for i, row in enumerate(rows) if len(row) < 4), len(rows))]:
        names, unit, text = (cell.strip().replace("`", "") for cell in row[1:4])
        out.append(f"  {names}" + (f" ({unit})" if unit else ""))
        out += textwrap.wrap(
            re.sub(r"\[(.*?)\]\(.*?\)", r"\1", text),
            90,
            initial_indent=" " * 6,
            subsequent_indent=" " * 6,
        )
    return "\n".join(out)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `thinwire analyze` to its parser."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG + "\n" + definitions()
    parser.add_argument(
        "capture", nargs="+", help="a pcap or pcapng file, compressed or not", metavar="CAPTURE"
    )
    options.add_capture(parser)
    parser.add_argument(
        "--by",
        choices=["topic", "peer"],
        help="also count the messages of each topic, or of each address that the device talks to",
    )
    options.add_format(parser)
    parser.add_argument(
        "--header",
        metavar="FILE",
        help="write a CSV with options and findings of each capture",
    )
    parser.add_argument(
        "--samples",
        metavar="FILE",
        help="write a CSV with one row per message: times, round trip, copies, bytes",
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="plot messages over time, round trips and bytes: .pdf (one page per capture) or .png",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the analysis; return its exit status: 0, 2 for bad input, 3 for an internal error."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise ToolMissing("Rscript", "the analysis", "apt-get install r-base-core")
    captures = [f"./{name}" if name.startswith("-") else name for name in arguments.capture]
    given = options.words(
        arguments, (*options.CAPTURE, "by", "format", "header", "samples", "plot")
    )
    words = [rscript, str(SCRIPT), "--capture", *captures, *given]
    return progress.of_program(words, tools.r_environment())
