"""Tables of many trials as one: the lines of all, under one header, by the trials' names.

The files come from the rule and not from a command line, which 10,000 names would not fit on.
"""

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # Snakemake puts the object of this name before the script
    from snakemake.script import snakemake


def read_lines(path: Path) -> list[bytes]:
    """The lines of a table, gzip or not."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines(keepends=True)


def collect(tables: list[Path], out: Path) -> None:
    """Write one table; ValueError where the columns of two differ."""
    header, rows = b"", []
    for path in sorted(tables, key=lambda path: path.name.partition(".csv")[0]):
        first, *rest = read_lines(path)
        if header not in (b"", first):
            raise ValueError(f"{path}: columns {first!r}, not {header!r}; remove results/")
        header = first
        rows += rest
    data = b"".join([header, *rows])
    out.write_bytes(gzip.compress(data, mtime=0) if out.suffix == ".gz" else data)


for kind, out in snakemake.output.items():
    collect([Path(name) for name in snakemake.input[kind]], Path(out))
