"""Keep the results of a study that not every build can run, such as one with libraries of other
authors:

    python tools/record_study.py STUDY METRIC... [--at COMMIT]

reads results/metrics/STUDY.csv, results/factors/STUDY.csv and the bundles in data/raw/STUDY, and
writes data/measured/STUDY/metrics.csv and factors.csv. Of the metrics only those named are kept,
of the factors those that vary, or that say what a trial can decide. `measured_at` (the commit) and
`digest` (of the bundle's SHA256SUMS) are factors of each trial. A build without the study decides
its claims by these tables.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from pathlib import Path

from hil.base.errors import InputError, ThinwireError, print_error
from hil.base.paths import ROOT
from hil.bundle.store import file_digest
from hil.selfcheck.measured import commit

# What a trial can decide (workflow/R/study/R/abilities.R), also where it does not vary.
_KEPT = (
    *("repetition", "outcome", "testbed", "board", "library", "mode", "role", "peer", "link"),
    *("server_link", "modem_sleep", "security", "background_profile", "ap_queue"),
)


def read(path: Path) -> list[dict[str, str]]:
    """Read a table of results.

    Raises:
        InputError: it is not there.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        remedy = f"run snakemake --cores all --config 'studies=[{path.stem}]'"
        raise InputError(path, "", f"cannot be read ({error.strerror})", remedy) from None


def varying(factors: list[dict[str, str]]) -> list[dict[str, str]]:
    """Leave out factors that have one value in all trials."""
    values = defaultdict(set)
    trials = defaultdict(set)
    for row in factors:
        values[row["factor"]].add(row["value"])
        trials[row["factor"]].add(row["trial"])
    every = {row["trial"] for row in factors}
    keep = {
        name for name in values if name in _KEPT or len(values[name]) > 1 or trials[name] != every
    }
    return [row for row in factors if row["factor"] in keep]


def write(path: Path, rows: list[dict[str, str]]) -> None:
    """Write rows as CSV, sorted by trial and name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = list(rows[0])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: [row[c] for c in columns]))


def record(study: str, metrics: list[str], at: str) -> None:
    """Write the tables of a study, see the module; `at` names the commit of the trials."""
    found = [r for r in read(ROOT / f"results/metrics/{study}.csv") if r["metric"] in metrics]
    missing = set(metrics) - {row["metric"] for row in found}
    if missing:
        raise InputError(study, min(missing), "is no metric of its trials", "see docs/metrics.md")
    factors = varying(read(ROOT / f"results/factors/{study}.csv"))
    for trial in sorted({row["trial"] for row in found}):
        sums = ROOT / "data/raw" / study / trial / "SHA256SUMS"
        for factor, value in (("measured_at", at), ("digest", file_digest(sums))):
            factors.append({"study": study, "trial": trial, "factor": factor, "value": value})
    folder = ROOT / "data/measured" / study
    write(folder / "metrics.csv", found)
    write(folder / "factors.csv", factors)


def main() -> int:
    """Record what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("study")
    parser.add_argument("metric", nargs="+")
    parser.add_argument("--at", help="commit of the trials (default: of the checkout)")
    options = parser.parse_args()
    try:
        record(options.study, options.metric, options.at or commit())
    except ThinwireError as error:
        return print_error(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
