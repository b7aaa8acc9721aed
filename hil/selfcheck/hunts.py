"""Measure how many schedules `thinwire hunt` tries in an hour: `python -m hil.selfcheck.hunts`.

Prints CSV, a row for each client: a search of MINUTES by all processors, with everything that it
confirms and shrinks. Without shrinking the rate is higher.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hil import cli
from hil.base.errors import LabError
from hil.commands import example
from hil.design import tryfile
from hil.system import scratch

MINUTES = 10
HEAD = (
    *("client", "virtual time, s", "schedules", "schedules an hour", "features", "finds"),
    *("not in time", "do not repeat", "failures of the laboratory", "load"),
)
_ENGINE = """\
device: {{engine: {mode}}}
parameters: {{payload_bytes: 30, interval_ms: 500}}
duration_s: 50
expect: {{delivered: 100 %}}
"""
ENGINES = ("mqtt-qos1", "mqtt-qos2", "coap-con")
LANGUAGES = ("c",)


def _hunted(folder: Path, minutes: float) -> dict[str, Any]:
    """Return the results of a search.

    Raises:
        LabError: it failed.
    """
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        status = cli.main(["hunt", str(folder), "--for", f"{minutes * 60:g}s", "--json"])
    if status not in {0, 1}:
        raise LabError(f"{folder.name}: exit status {status}")
    return dict(json.loads(printed.getvalue()))


def clients(folder: Path) -> Iterator[Path]:
    """Yield a folder for each client: engines of this project, and an example."""
    for mode in ENGINES:
        target = folder / mode
        target.mkdir()
        (target / tryfile.FILE).write_text(_ENGINE.format(mode=mode), encoding="utf-8")
        yield target
    for language in LANGUAGES:
        example.create(folder / language, language)
        yield folder / language


def row(client: Path, minutes: float) -> list[str]:
    """Return the fields of one client's row."""
    duration_s = tryfile.read(client).parameters["duration_s"]
    found = _hunted(client, minutes)
    counts = ("schedules", "schedules_per_h", "features")
    lists = ("finds", "unsteady", "lab_failures")
    many = {key: f"{found[key]:.0f}" for key in counts}
    many |= {key: str(len(found[key])) for key in lists}
    return [
        client.name,
        str(duration_s),
        *(many[key] for key in (*counts, "finds")),
        str(found["unsettled"]),
        *(many[key] for key in lists[1:]),
        f"{os.getloadavg()[0]:.0f}",
    ]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="for each client")
    minutes = parser.parse_args().minutes
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(HEAD)
    with scratch.folder() as folder:
        for client in clients(folder):
            rows.writerow(row(client, minutes))
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
