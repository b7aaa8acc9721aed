"""Which mutants of the engines does a short search notice, beside the unit tests? hunt_mutants.py

Draws mutants from firmware/tests/mutants, among those of the sections in hunted.yaml and of files
that are compiled. Each one is built as a client, and `thinwire hunt` tries some schedules. It is
noticed `without faults` if the trial fails, does not repeat, or does not hold what the sound client
holds; `with faults` if a find breaks what the sound client holds under the same schedule. The same
mutant is given to the unit tests, as in mutants.py. docs/measured/hunt-mutants.csv gets a row for
each mutant; one that has a row is left out.

Exit status 2 if a client cannot be made or run.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import conformance
import mutants
import reports
import yaml
from reports import Report, Unusable
from searching import MEASURED, TOP, Failed, Spent, Table, sound_holds

from hil.selfcheck.measured import commit

HEAD = (
    *("mutant", "requirement", "change", "unit tests", "hunt", "expectation", "schedules"),
    *("processor time, s", "load", "measured at"),
)
WORK = TOP / "build" / "hunts"
SETTINGS = Path(__file__).with_name("hunted.yaml")
# What `thinwire hunt` says if the trial without faults does not hold.
_BROKEN = ("the trial without faults", "no expectation holds without faults")


def drawn(count: int, seed: int) -> list[conformance.Mutant]:
    """Return mutants at random, the same for the same seed; a larger sample begins as a smaller."""
    sections = yaml.safe_load(SETTINGS.read_text(encoding="utf-8"))
    known = [
        one for one in conformance.mutants() if one.section in sections and one.file.endswith(".c")
    ]
    random.Random(seed).shuffle(known)
    return known[:count]


def _client(mutant: conformance.Mutant, folder: Path, *, sound: bool) -> None:
    """Write the client of a mutant's section into a folder, with its change unless `sound`."""
    given = yaml.safe_load(SETTINGS.read_text(encoding="utf-8"))[mutant.section]
    where = str(conformance.source(mutant.file).relative_to(TOP / "firmware"))
    change = {"in": where, "was": mutant.was, "is": mutant.becomes}
    report = Report(
        mutant.requirement, (), mutant.section, (change,), given["trial"], given["arguments"], ""
    )
    reports.make(report, folder, sound=sound)


def _left_out(results: dict[str, Any]) -> dict[str, str]:
    """Return what a search does not judge since it does not hold without faults."""
    return {
        one["expectation"]: one["reason"]
        for one in results["left_out"]
        if one["reason"].startswith(("does not hold", "not measured"))
    }


class Hunts:
    """Searches of mutants and of the sound clients beside them."""

    def __init__(self, folder: Path, schedules: int, jobs: str) -> None:
        self._folder, self._sound = folder, {}
        self._options = ["--schedules", str(schedules), "--jobs", jobs, "--for", "1h"]

    def _sound_left_out(self, mutant: conformance.Mutant, spent: Spent) -> dict[str, str]:
        """Return what is not judged of the sound client either."""
        if mutant.section not in self._sound:
            folder = self._folder / f"sound-{len(self._sound)}"
            _client(mutant, folder, sound=True)
            _, results = spent.thinwire("hunt", str(folder), "--schedules", "1", "--for", "1h")
            self._sound[mutant.section] = _left_out(results)
        return self._sound[mutant.section]

    def noticed(self, mutant: conformance.Mutant, spent: Spent) -> tuple[str, str, int]:
        """Return how a search notices a mutant (or `no`), by which expectation, and how many
        schedules it has tried.

        Raises:
            Unusable, Failed: the client cannot be made, or the laboratory failed.
        """
        known = self._sound_left_out(mutant, spent)
        client, sound = self._folder / "client", self._folder / "sound"
        for folder in (client, sound):
            shutil.rmtree(folder, ignore_errors=True)
        _client(mutant, client, sound=False)
        _client(mutant, sound, sound=True)
        number, schedules = 0, 0
        while True:
            number += 1
            try:
                _, results = spent.thinwire(
                    "hunt", str(client), *self._options, "--finds", str(number)
                )
            except Failed as error:
                if any(text in str(error) for text in _BROKEN):
                    return "without faults", "outcome", schedules
                raise
            if results["lab_failures"]:
                raise Failed(results["lab_failures"][0]["reason"])
            if more := [one for one in _left_out(results) if one not in known]:
                return "without faults", more[0], schedules
            schedules = results["schedules"]
            if len(results["finds"]) < number:
                return "no", "", schedules
            find = results["finds"][number - 1]
            if sound_holds(spent, sound, find):
                return "with faults", find["expected"], schedules


def _by_tests(bench: mutants.Bench, mutant: conformance.Mutant, row: conformance.Row) -> str:
    """Return whether a test that the row names notices the mutant."""
    return "noticed" if bench.try_out(mutant, row.programs) & set(row.tests) else "no"


def main() -> int:
    """Try each mutant of the sample that has no row yet."""
    parser = argparse.ArgumentParser(prog="hunt_mutants.py", description=__doc__)
    parser.add_argument("--sample", type=int, default=20, help="how many (default: 20)")
    parser.add_argument("--schedules", type=int, default=16, help="of each search (default: 16)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default: 1)")
    parser.add_argument("--jobs", default="2", help="trials at once (default: 2)")
    given = parser.parse_args()
    table = Table(MEASURED / "hunt-mutants.csv", HEAD)
    rows = {(row.section, row.requirement): row for row in conformance.rows()}
    WORK.mkdir(parents=True, exist_ok=True)
    status = 0
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        bench = mutants.Bench(Path(folder, "tests"))
        bench.workdir.mkdir()
        bench.prepare()
        hunts = Hunts(Path(folder), given.schedules, given.jobs)
        for mutant in drawn(given.sample, given.seed):
            text = f"{mutant.section}\n{mutant.requirement}\n{mutant.name()}"
            name = hashlib.sha256(text.encode()).hexdigest()[:8]
            if table.has(name):
                continue
            spent = Spent()
            try:
                how, expectation, schedules = hunts.noticed(mutant, spent)
            except (Unusable, Failed) as error:
                print(f"thinwire: error: {mutant.name()}: {error}", file=sys.stderr)
                status = 2
                continue
            tests = _by_tests(bench, mutant, rows[mutant.section, mutant.requirement])
            cost = (str(schedules), f"{spent.cpu_s:.0f}", f"{os.getloadavg()[0]:.0f}", commit())
            where = f"{mutant.section}: {mutant.requirement}"
            row = [name, where, mutant.name(), tests, how, expectation, *cost]
            table.put(row)
            print(*row, sep="\t", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
