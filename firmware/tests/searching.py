"""Run `thinwire` from a program that measures searches, and store a row for each.

A table is a CSV file whose first column names what was measured. So a measurement goes on after a
stop: what has a row is left out.
"""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

TOP = Path(__file__).resolve().parents[2]
MEASURED = TOP / "docs" / "measured"


class Failed(Exception):
    """What `thinwire` has said instead of a result, in one line."""


@dataclass
class Spent:
    """Time of all commands so far, in s: on the clock, and of the processors."""

    wall_s: float = 0.0
    cpu_s: float = 0.0

    def thinwire(self, *words: str) -> tuple[int, dict[str, Any]]:
        """Run a command with `--json`; return its exit status and its document.

        Raises:
            Failed: it has none.
        """
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        argv = [sys.executable, "-m", "hil.cli", *words, "--json"]
        done = subprocess.run(argv, cwd=TOP, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.wall_s += time.monotonic() - began
        self.cpu_s += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if done.returncode not in {0, 1} or not done.stdout:
            said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            raise Failed(said[-1])
        return done.returncode, json.loads(done.stdout)


def holds(document: dict[str, Any], name: str) -> bool:
    """Return whether an expectation holds in the results of `thinwire try --json`."""
    return all(row["pass"] for row in document["expectations"] if row["name"] == name)


def sound_holds(spent: Spent, sound: Path, find: Mapping[str, Any]) -> bool:
    """Return whether the client in the folder `sound` holds what a find has broken, in the same
    trial: `expected`, `faults` and `duration_s`. Its thinwire.yaml becomes that trial.

    Raises:
        Failed: the laboratory failed.
    """
    file = sound / "thinwire.yaml"
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    name, _, limit = find["expected"].partition(": ")
    document |= {
        "duration_s": find["duration_s"],
        "faults": find["faults"],
        "expect": {name: limit},
    }
    if not find["faults"]:
        del document["faults"]
    file.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return holds(spent.thinwire("try", str(sound))[1], name)


@dataclass
class Table:
    """A CSV file with these columns, which grows by rows."""

    path: Path
    head: Sequence[str]
    rows: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._read()

    def _read(self) -> None:
        if self.path.is_file():
            with self.path.open(encoding="utf-8", newline="") as file:
                _, *self.rows = csv.reader(file)

    def has(self, name: str) -> bool:
        """Return whether there is a row for it."""
        return any(row[0] == name for row in self.rows)

    def put(self, row: Sequence[str]) -> None:
        """Replace or add the row of its first field; rows are sorted by it. Another program may
        have added rows."""
        self._read()
        kept = [one for one in self.rows if one[0] != row[0]]
        self.rows = sorted([*kept, list(row)])
        fresh = self.path.with_suffix(".new")
        with fresh.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([self.head, *self.rows])
        fresh.replace(self.path)
