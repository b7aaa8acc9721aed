"""Tables of many trials as one: the lines of all, under one header, by the trials' names.

    collect.py --study STUDY --profile P --testbed T --out TABLE...     those of a study
    collect.py --names NAME... --out TABLE...                           those of these names

results/metrics/STUDY.csv holds what results/metrics/STUDY/NAME.csv hold. The names come from the
study and not from the command line, which 10,000 of them would not fit on. (Snakemake's `script:`
would hand them over, but cannot start a Python whose path has a blank.)
"""

import argparse
import gzip
import sys
from pathlib import Path

from hil.design.studies import load_study
from hil.errors import InputError, ThinwireError


def read_lines(path: Path) -> list[bytes]:
    """The lines of a table, gzip or not."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines(keepends=True)


def collect(names: list[str], out: Path) -> None:
    """Write one table; InputError where the columns of two differ."""
    stem, _, ending = out.name.partition(".")
    header, rows = b"", []
    for name in sorted(names):
        path = out.with_name(stem) / f"{name}.{ending}"
        first, *rest = read_lines(path)
        if header not in (b"", first):
            raise InputError(
                path, "", f"has the columns {first!r}, not {header!r}", "remove results/"
            )
        header = first
        rows += rest
    data = b"".join([header, *rows])
    out.write_bytes(gzip.compress(data, mtime=0) if out.suffix == ".gz" else data)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--study")
    parser.add_argument("--profile")
    parser.add_argument("--testbed")
    parser.add_argument("--names", nargs="+", default=[])
    parser.add_argument("--out", nargs="+", type=Path, required=True)
    arguments = parser.parse_args()
    try:
        names = arguments.names
        if arguments.study:
            trials = load_study(arguments.study).trials(arguments.profile, arguments.testbed)
            names = [trial.id for trial in trials]
        for out in arguments.out:
            collect(names, out)
    except ThinwireError as error:
        print(f"thinwire: error: {error}", file=sys.stderr)
        return error.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
