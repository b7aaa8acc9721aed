"""`thinwire analyze`: the metrics of any capture. A front of the R package; no arithmetic here."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path

from hil.errors import ToolMissing
from hil.system import tools

SCRIPT = Path(__file__).resolve().parent.parent / "workflow" / "scripts" / "analyze.R"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `thinwire analyze` to its parser."""
    parser.add_argument("capture", help="pcap or pcapng file, compressed or not")
    parser.add_argument("--device", help="IP address of the device; without it: which there are")
    parser.add_argument("--topic", help="MQTT topic, CoAP or HTTP path, AMQP routing key")
    parser.add_argument("--format", default="table", choices=["table", "csv", "json"])
    parser.add_argument("--ports", help="protocols on ports of their own: mqtt=1884,coap=5700")
    parser.add_argument(
        "--damaged",
        default="stop",
        choices=["stop", "keep"],
        help="what to do with a capture that fails its integrity check",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the analysis and return its exit status: 0, or 2 for bad input."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise ToolMissing("Rscript", "the analysis", "apt-get install r-base-core")
    words = [rscript, str(SCRIPT)]
    for name in ("capture", "device", "topic", "format", "ports", "damaged"):
        value = getattr(arguments, name)
        if value is not None:
            words.append(f"--{name}={value}")
    return subprocess.run(words, check=False, env=tools.r_environment()).returncode
