"""Recorded distributions that trials draw from: the tables of data/recorded, by sample name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hil.base.paths import ROOT

FOLDER = ROOT / "data/recorded"
THINK_TIMES = FOLDER / "think_times.csv"  # values of the parameter think_time
ARRIVAL_DELAYS = FOLDER / "arrival_delays.csv"  # values of the parameter arrival_delay
PROCESSING_TIMES = FOLDER / "processing_times.csv"  # values of the parameter processing_times
# Values of these parameters that name no sample.
_WITHOUT = ("fixed", "none")


@cache
def sample_ms(table: Path, name: str) -> tuple[float, ...]:
    """Return the values of a sample in the table's order, ms; none for `fixed` and `none`.

    Raises:
        KeyError: the table has no such sample, which the schema of parameters excludes.
    """
    if name in _WITHOUT:
        return ()
    rows = [line.split(",") for line in table.read_text(encoding="ascii").splitlines()[1:]]
    if not (values := tuple(float(ms) for sample, ms in rows if sample == name)):
        raise KeyError(name)
    return values


def files() -> list[Path]:
    """Return the tables, which the machine's image contains."""
    return [ARRIVAL_DELAYS, PROCESSING_TIMES, THINK_TIMES]
