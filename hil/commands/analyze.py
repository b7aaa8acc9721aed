"""`thinwire analyze`: measure captures and bundles. A front end of the R package, without
arithmetic.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import textwrap
from pathlib import Path

from hil.base.documents import read_json
from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import nearest
from hil.commands import analysis, complete, options
from hil.design import addressing, protocols
from hil.system import progress, scratch, tools

SCRIPT = ROOT / "workflow" / "scripts" / "analyze.R"
METRICS = ROOT / "docs" / "metrics.md"
CAPTURE = "wire.pcapng.gz"

DESCRIPTION = """\
Measure captures, or bundles of trials. Without --device, list the conversations of each capture
with their protocols and message counts, and suggest the next command. A bundle names its device.

  thinwire analyze trace.pcapng
  thinwire analyze trace.pcapng --device 192.0.2.7 --topic sensors/t --format csv
  thinwire analyze data/raw/smoke/coap-con_duration3_r1 --all
  thinwire analyze --explain request_ack_median_ms

Exit status: 0; 2 if a capture or an option is bad input; 3 for an internal error. A bad capture is
reported on standard error, and the remaining captures are still measured.
"""


def definitions() -> list[tuple[list[str], str, str]]:
    """Return names, unit ("" where its table has none) and definition of each metric, from the
    tables of docs/metrics.md."""
    found, heads = [], []
    for line in METRICS.read_text(encoding="utf-8").splitlines():
        split = re.split(r" \|(?= |$)", line.strip().removeprefix("|"))  # a cell may be empty
        cells = [cell.strip().replace("`", "") for cell in split]
        if not line.startswith("|"):
            heads = []
        elif cells[0] == "metric":
            heads = cells
        elif heads and not line.startswith("|-"):
            row = dict(zip(heads, cells, strict=False))
            text = next(row[head] for head in heads[1:] if head != "unit")
            plain = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", text)
            found.append((row["metric"].split(", "), row.get("unit", ""), plain))
    return found


def _matches(name: str, metric: str) -> bool:
    """Return whether a name of the table, in which * is any word, is that of a metric."""
    return re.fullmatch(re.escape(name).replace(r"\*", "[a-z0-9_]+"), metric) is not None


def explained(metric: str) -> str:
    """Return the definition of a metric with its unit.

    Raises:
        InputError: there is no such metric.
    """
    rows = definitions()
    plain = re.sub(r"_ci95_(low|high)$", "", metric)
    for names, unit, text in rows:
        if any(_matches(name, plain) for name in names):
            head = f"{metric}{f' ({unit})' if unit else ''}"
            return "\n".join([head, *textwrap.wrap(text, 96)])
    known = [name for names, _, _ in rows for name in names]
    raise InputError("--explain", metric, "no such metric", nearest(metric, known))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `thinwire analyze` to its parser."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "capture",
        nargs="*",
        help="a pcap or pcapng file, compressed or not; - for standard input; a bundle's folder, or"
        " one with bundles below it",
        metavar="CAPTURE",
    ).completer = complete.files  # type: ignore[attr-defined]
    parser.add_argument(
        "--explain", metavar="METRIC", help="print the definition of a metric"
    ).completer = complete.metrics  # type: ignore[attr-defined]
    parser.add_argument(
        "--all", action="store_true", help="print every metric instead of the summary"
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
    ).completer = complete.files  # type: ignore[attr-defined]
    parser.add_argument(
        "--samples",
        metavar="FILE",
        help="write a CSV with one row per message: times, round trip, copies, bytes",
    ).completer = complete.files  # type: ignore[attr-defined]
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="plot messages over time, round trips and bytes: .pdf (one page per capture) or .png",
    ).completer = complete.files  # type: ignore[attr-defined]


def _bundles(name: str) -> list[Path]:
    """Return the folders of the bundles at or below a folder; none if it is a file.

    Raises:
        InputError: the folder has no bundle.
    """
    folder = Path(name)
    if not folder.is_dir():
        return []
    if (folder / "trial.json").is_file():
        return [folder]
    found = sorted(path.parent for path in folder.rglob("trial.json"))
    if not found:
        raise InputError(folder, "", "holds no bundle", "name a capture, or a bundle's folder")
    return found


def _own_port(bundle: Path) -> str | None:
    """Return the option --ports for a protocol whose messages no dissector knows."""
    document = read_json(bundle / "trial.json", "name a bundle's folder")
    row = protocols.document().get(str(document.get("parameters", {}).get("protocol")), {})
    if row.get("layer") != "data":
        return None
    return f"{row['transport']}={row['servers']['default']['port']}"


def _of_bundles(arguments: argparse.Namespace, bundles: list[Path]) -> list[str]:
    """Return the captures of bundles; set the device, and a port that only the bundle knows."""
    arguments.device = arguments.device or addressing.BOARD_IP
    ports = {_own_port(bundle) for bundle in bundles} - {None}
    if arguments.ports is None and ports:
        arguments.ports = ",".join(sorted(map(str, ports)))
    return [str(bundle / CAPTURE) for bundle in bundles]


def run(arguments: argparse.Namespace) -> int:
    """Run the analysis; return its exit status: 0, 2 for bad input, 3 for an internal error."""
    if arguments.explain:
        print(explained(arguments.explain))
        return 0
    if not arguments.capture:
        raise InputError("analyze", "", "names no capture", "see 'thinwire analyze --help'")
    rscript = analysis.rscript()
    bundles = [bundle for name in arguments.capture for bundle in _bundles(name)]
    files = [name for name in arguments.capture if not Path(name).is_dir()]
    if bundles and files:
        raise InputError(files[0], "", "is a capture beside bundles", "measure them one by one")
    with scratch.folder() as folder:
        captures = _of_bundles(arguments, bundles) if bundles else list(files)
        if "-" in captures:
            target = folder / "stdin"
            with target.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
            captures = [str(target) if name == "-" else name for name in captures]
        captures = [f"./{name}" if name.startswith("-") else name for name in captures]
        given = options.words(
            arguments, (*options.CAPTURE, "by", "format", "header", "samples", "plot")
        )
        words = [rscript, str(SCRIPT), "--capture", *captures, *given]
        words += [f"--all={'yes' if arguments.all else 'no'}"]
        words += ["--bundles=yes"] if bundles else []
        return progress.of_program(words, tools.r_environment())
