"""The results of `thinwire try`: expectations and what was measured, by R (expectations.R)."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import InputError, LabError
from hil.base.paths import ROOT
from hil.commands import analysis
from hil.commands.try_repeat import Difference
from hil.design.expectations import Expectation
from hil.design.tryfile import TryFile
from hil.system import scratch, tools
from hil.testbeds.runner import Done

SCRIPT = ROOT / "workflow" / "scripts" / "expect.R"


@dataclass(frozen=True)
class Measured:
    """One expectation in one trial.

    Attributes:
        value: as measured; None if it was not.
        unit: of the value.
        holds: whether it is as expected.
        reason: why nothing was measured; else empty.
    """

    seed: int
    value: float | None
    unit: str
    holds: bool
    reason: str


@dataclass(frozen=True)
class Verdict:
    """One expectation in all trials; `worst` is the one that decides."""

    expectation: Expectation
    each: tuple[Measured, ...]
    worst: Measured

    @property
    def holds(self) -> bool:
        return self.worst.holds


@dataclass(frozen=True)
class Results:
    """What was tried, in which trials, and what held; how often each trial ran, and which runs of
    one differ."""

    tried: TryFile
    bundles: tuple[Done, ...]
    verdicts: tuple[Verdict, ...]
    runs: int = 1
    differences: tuple[Difference, ...] = ()

    @property
    def good(self) -> bool:
        """Whether each trial went well and repeats, and each expectation holds."""
        fine = all(one.outcome == "ok" for one in self.bundles) and not self.differences
        return fine and all(one.holds for one in self.verdicts)


def _script(words: Sequence[str | Path]) -> None:
    """Run the script.

    Raises:
        InputError, LabError: it fails; it has printed why.
    """
    rscript = analysis.rscript()
    done = subprocess.run(
        [rscript, SCRIPT, *words],
        check=False,
        env=tools.r_environment(),
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    if done.returncode == InputError.status:
        said = done.stderr.strip().splitlines()[-1].removeprefix("thinwire: error: ")
        raise InputError("the analysis", "", said.replace("; ", ", "), "see docs/metrics.md")
    if done.returncode:
        raise LabError(f"the analysis failed: {done.stderr.strip()[-2000:]}")


def measure(
    tried: TryFile,
    bundles: Sequence[Done],
    runs: int = 1,
    differences: Sequence[Difference] = (),
) -> Results:
    """Compare what was measured in the bundles with the expectations; `runs` and `differences` are
    those of the results."""
    with scratch.folder() as folder:
        wanted, found = folder / "expectations.csv", folder / "measured.json"
        with wanted.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(("metric", "operator", "limit", "unit"))
            for one in tried.expectations:
                rows.writerow((one.metric, one.operator, repr(one.limit), one.unit))
        folders = [one.folder for one in bundles]
        _script(["--expectations", wanted, "--bundles", *folders, "--out", found])
        measured = json.loads(found.read_text(encoding="utf-8"))
    verdicts = []
    for number, expectation in enumerate(tried.expectations, start=1):
        mine = [row for row in measured if row["expectation"] == number]
        each = [
            Measured(row["seed"], row.get("value"), row["unit"], row["holds"], row["reason"])
            for row in mine
        ]
        worst = each[next(at for at, row in enumerate(mine) if row["worst"])]
        verdicts.append(Verdict(expectation, tuple(each), worst))
    return Results(tried, tuple(bundles), tuple(verdicts), runs, tuple(differences))
