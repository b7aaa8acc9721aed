#!/usr/bin/env python3
"""Write the README's table of what a message costs.

  python tools/readme.py                    from data/shipped/costs.csv
  python tools/readme.py --results results  make that file from a build first (tools/costs.R)

The table stands between two comments in README.md. The picture above it is written by
tools/pictures.py.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
from pathlib import Path

from hil.base.errors import InputError, ThinwireError, print_error
from hil.base.paths import ROOT
from hil.system import tools

README = ROOT / "README.md"
COSTS = ROOT / "data" / "shipped" / "costs.csv"
BEGIN, END = "<!-- Generated: tools/readme.py -->\n", "<!-- end -->\n"
# Rows: names in the README of modes.
MODES = {
    "udp-ack": "raw UDP with ACK",
    "mqttsn-qos1": "MQTT-SN QoS 1",
    "coap-con": "CoAP CON",
    "oscore-con": "CoAP CON with OSCORE",
    "mqtt-qos1": "MQTT QoS 1",
    "mqtt5-qos1": "MQTT 5 QoS 1",
    "amqp-confirms": "AMQP with confirms",
    "http-kept": "HTTP, connection kept",
    "http-each": "HTTP, a connection each",
}
# Columns: heads in the README of columns of the file, with decimals and what one unit is.
COLUMNS = {
    "bytes": ("bytes on the wire", 0, 1),
    "air_bytes": ("bytes on the air", 0, 1),
    "airtime_us": ("airtime, µs", 0, 1),
    "frames_uc": ("radio charge of its frames, µC", 0, 1),
    "answered_uc": ("with listening until the answer, µC", 0, 1),
    "flash_bytes": ("flash, kB", 1, 1000),
    "ram_bytes": ("RAM, kB", 1, 1000),
}


def table(costs: Path) -> str:
    """Return the table in Markdown.

    Raises:
        InputError: the file lacks a mode.
    """
    with costs.open(encoding="utf-8", newline="") as file:
        rows = {row["mode"]: row for row in csv.DictReader(file)}
    lines = [
        "| " + "".join(f"| {head} " for head, *_ in COLUMNS.values()) + "|",
        "|---" * (len(COLUMNS) + 1) + "|",
    ]
    for mode, name in MODES.items():
        if mode not in rows:
            raise InputError(costs, mode, "is missing", "make it: python tools/readme.py --results")
        cells = [
            f"{float(rows[mode][column]) / unit:.{decimals}f}"
            for column, (_, decimals, unit) in COLUMNS.items()
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def written(text: str, costs: Path = COSTS) -> str:
    """Return the text of the README with the table between its comments."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + "\n" + table(costs) + "\n" + END + after


def make_costs(results: Path, costs: Path = COSTS) -> None:
    """Write the costs of a build."""
    script = ROOT / "tools" / "costs.R"
    words = ["--decide", results / "decide.json", "--results", results, "--out", costs]
    subprocess.run(["Rscript", script, *words], env=tools.r_environment(), check=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, help="the results of a build")
    arguments = parser.parse_args()
    try:
        if arguments.results:
            make_costs(arguments.results)
        README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
    except ThinwireError as error:
        return print_error(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
