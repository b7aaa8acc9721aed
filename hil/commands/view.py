"""`thinwire view`: the time line of a bundle or a capture as one file for a browser."""

from __future__ import annotations

import argparse
import importlib.util
import ipaddress
import json
import shlex
import subprocess
import sys
import webbrowser
from pathlib import Path

from hil.base.errors import InputError, LabError, ToolMissing
from hil.base.paths import ROOT
from hil.commands import analysis, outputs
from hil.design import addressing
from hil.system import scratch, tools

SCRIPT = ROOT / "workflow/scripts/view.R"
CHARTS = ROOT / "workflow/scripts/charts.py"
PAGE = ROOT / "workflow/page"

DESCRIPTION = """\
Show the time line of a bundle, or of a capture: frames on wire and air, and the lines of the
device's log, in a window of time that can be moved, searched and saved as CSV. It is one file of
HTML without references to others, written beside the bundle, and is opened in the browser.

  thinwire view data/raw/quickstart/mqtt-qos1_nagle1_interval100_duration30_r1
  thinwire view trace.pcapng --device 192.0.2.7 --out /tmp/trace.html --no-open

Exit status: 0; 2 for bad input.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `thinwire view` to its parser."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "path", type=Path, metavar="PATH", help="a bundle's folder, or a pcap or pcapng file"
    )
    parser.add_argument("--device", metavar="IP", help="address of the device in a capture")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="default: PATH.html, beside the bundle"
    )
    parser.add_argument(
        "--no-open", action="store_true", help="only write the file, without the browser"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, and open nothing")


def _device(arguments: argparse.Namespace) -> str:
    """Return the device's address; empty if it is unknown.

    Raises:
        InputError: it is no IP address.
    """
    if arguments.device is None:
        return addressing.BOARD_IP if arguments.path.is_dir() else ""
    try:
        return str(ipaddress.ip_address(arguments.device))
    except ValueError as error:
        problem, remedy = "is no IP address", "write it as in --device 192.0.2.7"
        raise InputError("--device", arguments.device, problem, remedy) from error


def _made(arguments: argparse.Namespace, device: str, folder: Path) -> bytes | None:
    """Return the file; None if the analysis has reported bad input.

    Raises:
        ToolMissing: R, tshark or the charts' package is missing. A wheel does not depend on the
            latter, which is as large as the laboratory.
    """
    rscript = analysis.rscript()
    if importlib.util.find_spec("vl_convert") is None:
        pip = shlex.quote(str(Path(sys.executable).parent / "pip"))
        remedy = f"{pip} install vl-convert-python"
        raise ToolMissing("the Python package 'vl_convert'", "the time line", remedy)
    charts, page = folder / "charts.js", folder / "view.html"
    subprocess.run([*tools.python(), str(CHARTS), str(charts)], check=True)
    words = [
        *("--capture", str(arguments.path.absolute())),
        *(["--device", device] if device else []),
        *("--charts", str(charts), "--source", str(PAGE), "--out", str(page)),
    ]
    done = subprocess.run([rscript, str(SCRIPT), *words], env=tools.r_environment(), check=False)
    if done.returncode == InputError.status:
        return None
    if done.returncode != 0:
        raise LabError(f"{SCRIPT.name} ended with status {done.returncode}")
    return page.read_bytes()


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return its exit status."""
    path = arguments.path
    if not path.exists():
        remedy = "name a bundle's folder, or a capture"
        raise InputError(path, "", "no such file or folder", remedy)
    device = _device(arguments)
    target = arguments.out or path.absolute().with_name(path.absolute().name + ".html")
    outputs.check_file(target, "--out")
    with scratch.folder() as folder:
        content = _made(arguments, device, folder)
    if content is None:
        return InputError.status
    try:
        target.write_bytes(content)
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise InputError(target, "", problem, "name another file with --out") from error
    if arguments.json:
        print(json.dumps({"page": str(target)}))
        return 0
    print(f"thinwire: wrote {target}")
    if not arguments.no_open and not webbrowser.open(target.absolute().as_uri()):
        print("thinwire: no browser was found; open the file yourself", file=sys.stderr)
    return 0
