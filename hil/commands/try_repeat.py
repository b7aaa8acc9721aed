"""Whether the trials of `thinwire try` repeat: two runs of a trial are compared byte by byte."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hil.base.documents import read_json
from hil.bundle import diff
from hil.bundle import store as bundle
from hil.design.trials import Trial
from hil.machine import hostreads
from hil.machine.uml.processor import MASKED

DIFFERS = "differs"
_REMEDY = "name a bundle's folder"


@dataclass(frozen=True)
class Difference:
    """Two runs of a trial with different bytes.

    Attributes:
        seed: of the trial.
        run: which run differs from the first one: `run 2`, or `an earlier run`.
        folders: the bundles of both.
        where: the first event or line that differs.
        causes: what is known to differ between runs, and is within the program's reach.
    """

    seed: int
    run: str
    folders: tuple[Path, Path]
    where: str
    causes: tuple[str, ...]


def first(one: Path, two: Path) -> str:
    """Return the first event in which two bundles differ; without any the first line of what the
    programs printed, else the files."""
    if found := diff.divergences(one, two):
        return str(found[0])
    return next(iter(diff.texts(one, two)), "files: " + ", ".join(diff.files(one, two)))


def _same_conditions(one: Path, two: Path) -> bool:
    """Return whether two bundles are of the same trial, program and laboratory."""
    given = ("trial.json: ", "lab.json: versions.")
    return not any(line.startswith(given) for line in diff.conditions(one, two))


def causes(folder: Path, packages: Mapping[str, Path]) -> list[str]:
    """Return what may make runs of a bundle's trial differ, as far as it is known."""
    found = []
    versions = read_json(folder / "lab.json", _REMEDY).get("versions", {})
    shown = versions.get("processor", MASKED) != MASKED and versions.get("machine") == "uml"
    for package in packages.values():
        if package.suffix == ".tar":
            found += hostreads.instructions(package, counter=shown)
    if shown:
        found.append(
            "programs see this host's processor: its features and its counter of cycles are not"
            " masked (docs/try-programs.md#what-it-takes-to-repeat)"
        )
    return found


class Repeats:
    """Compares runs of the same trial. `out` is the folder of the results, `aside` one for bundles
    that are compared."""

    def __init__(self, out: Path, aside: Path, packages: Mapping[str, Path]) -> None:
        self.out, self.aside, self.packages = out, aside, packages
        self.found: list[Difference] = []

    def keep_earlier(self, trial: Trial) -> None:
        """Keep the bundle of an earlier run of the trial, which the next one will replace."""
        earlier = self.out / trial.study / trial.id
        if (earlier / bundle.SUMS).is_file():
            shutil.copytree(earlier, self.aside / "earlier" / trial.id)

    def compare_earlier(self, trial: Trial, now: Path) -> None:
        """Compare a bundle with that of an earlier run of the same trial in the same laboratory."""
        earlier = self.aside / "earlier" / trial.id
        if earlier.is_dir() and _same_conditions(now, earlier):
            self.compare(trial, now, earlier, "an earlier run")

    def compare(self, trial: Trial, now: Path, other: Path, run: str) -> None:
        """Compare a bundle with that of another run; keep the other one if it differs."""
        if (now / bundle.SUMS).read_bytes() == (other / bundle.SUMS).read_bytes():
            return
        kept = self.out / DIFFERS / f"{trial.id}-{run.replace(' ', '-')}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(other, kept)
        known = tuple(causes(now, self.packages))
        where = first(now, kept)
        self.found.append(Difference(trial.repetition, run, (now, kept), where, known))
