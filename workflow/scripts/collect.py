"""Tables of the same columns as one: `collect.py --names NAME... --out TABLE...`

results/metrics/STUDY.csv gets the lines of results/metrics/STUDY/NAME.csv, in the order of the
names, under one header.
"""

import argparse
import gzip
import sys
from pathlib import Path

from hil.base.errors import InputError, ThinwireError, print_error
from hil.bundle import pcapng


def read_lines(path: Path) -> list[bytes]:
    """The lines of a table, gzip or not."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines(keepends=True)


def collect(names: list[str], out: Path) -> None:
    """Write one table; InputError where the columns of two differ."""
    stem, _, ending = out.name.partition(".")
    header, rows = b"", []
    for name in names:
        path = out.with_name(stem) / f"{name}.{ending}"
        first, *rest = read_lines(path)
        if header not in (b"", first):
            raise InputError(
                path, "", f"has the columns {first!r}, not {header!r}", "remove results/"
            )
        header = first
        rows += rest
    data = b"".join([header, *rows])
    out.write_bytes(pcapng.pack(data, level=9) if out.suffix == ".gz" else data)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--names", nargs="+", required=True)
    parser.add_argument("--out", nargs="+", type=Path, required=True)
    arguments = parser.parse_args()
    try:
        for out in arguments.out:
            collect(arguments.names, out)
    except ThinwireError as error:
        return print_error(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
