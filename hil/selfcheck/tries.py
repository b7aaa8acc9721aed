"""Measure how long a trial of each example takes: `python -m hil.selfcheck.tries`.

Prints CSV, a row for each folder of examples/ whose tools are here, and names the others on
standard error. A trial's time contains the start of the machine and of the server, and the storing
of the bundle.
"""

from __future__ import annotations

import csv
import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from hil.base.errors import InputError
from hil.commands import example, tries
from hil.design import tryfile
from hil.system import scratch
from hil.testbeds import runner
from hil.testbeds.base import Testbed

RUNS = 5
HEAD = ("example", "device", "package, MB", "virtual time, s", "packing, s", "a trial, s", "load")


def measure(language: str, testbed: Testbed, folder: Path) -> Iterator[str]:
    """Yield the fields of one example's row; wall time in s, of a trial the median of RUNS.

    Raises:
        InputError: it cannot be built here.
    """
    target = folder / language
    example.create(target, language)
    stated = tryfile.read(target)
    tries.build(stated.path, stated.build)
    tried = tryfile.read(target)
    began = time.monotonic()
    files = tries.packages(tried, folder)
    packed_s = time.monotonic() - began
    (trial, *_) = tried.trials()
    spans = []
    for _ in range(RUNS):
        began = time.monotonic()
        done = runner.run(trial, testbed, folder / "out", **files)
        spans.append(time.monotonic() - began)
        if done.outcome != "ok":
            raise InputError(language, "", f"the trial is {done.outcome}: {done.reason}", "see why")
    size = sum(path.stat().st_size for path in files.values())
    yield from (language, tried.kind, f"{size / 1e6:.1f}", f"{runner.lasts_s(trial.facts):g}")
    yield from (f"{packed_s:.1f}", f"{statistics.median(spans):.1f}", f"{os.getloadavg()[0]:.0f}")


def main() -> int:
    """Print the table; 1 if an example could not be measured."""
    testbed = runner.testbed("virtual", machine="uml")
    testbed.prepare()
    status = 0
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(HEAD)
    for language in example.languages():
        with scratch.folder() as folder:
            try:
                rows.writerow(measure(language, testbed, folder))
                sys.stdout.flush()
            except InputError as error:
                print(f"{language}: {error}", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
