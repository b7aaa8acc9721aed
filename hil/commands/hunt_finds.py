"""The finds of `thinwire hunt`: confirmed, shrunk, and stored as a folder that `thinwire try` runs.

- finds/01-delivered/thinwire.yaml: the smallest schedule, and the expectation that it breaks
- finds/01-delivered/thinwire-out/try: the bundle with the capture
- finds/01-delivered.txt: what is broken, and the commands that show it

The folder has nothing else beside the client, since all of it is packed and runs.
"""

from __future__ import annotations

import re
import shlex
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from hil.base.errors import LabError
from hil.base.paths import ROOT
from hil.commands import hunt_state, try_results
from hil.commands.hunt_judge import OUTCOME, Judge, Violation
from hil.commands.hunt_trials import Examined, Laboratory
from hil.commands.tries import OUT, packages
from hil.design import tryfile
from hil.design.schedules import Space
from hil.design.shrinking import Case, shrink
from hil.machine.package import LEFT_OUT
from hil.testbeds import runner
from hil.testbeds.base import Testbed

_PAGE = ROOT / "docs" / "faults.md"
_ROW = re.compile(r"^\| `(\w+)` \|[^|]*\|[^|]*\| ([^|]*\S) *\|$", re.M)
_MOST_OF_ONE = 5  # finds of one expectation
_GRACE_S = 60.0
# It marks a folder that its maker can build again, such as Cargo's `target`
# (https://bford.info/cachedir).
_CACHE_TAG = "CACHEDIR.TAG"
_ANY = "DATA"


def copy_client(tried: tryfile.TryFile, target: Path) -> None:
    """Copy the folder of a client or server. Where it lists its files, what caches have besides
    them is left out."""
    parts = [part for part in (tried.device, tried.server) if part is not None]
    listed = all(part.files is not None for part in parts)

    def left_out(parent: str, names: list[str]) -> set[str]:
        caches = {name for name in names if Path(parent, name, _CACHE_TAG).is_file()}
        return LEFT_OUT.intersection(names) | (caches if listed else set())

    shutil.copytree(tried.folder, target, symlinks=True, ignore=left_out)
    for part in parts:
        for name in (*part.device.argv, *(part.files or ())):
            source, copied = tried.folder / name, target / name
            inside = copied.resolve().is_relative_to(target.resolve())
            if inside and source.exists() and not copied.exists():
                copied.parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if source.is_dir() else shutil.copy2
                copy(source, copied)


@cache
def specifications() -> dict[str, str]:
    """Return metric -> what promises it, from the table of docs/faults.md; empty without it."""
    if not _PAGE.is_file():
        return {}
    return dict(_ROW.findall(_PAGE.read_text(encoding="utf-8")))


def _alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two faults may act at the same place: of one kind, and not at different
    packets. Nobody knows which packet a time meets, and DATA is any."""
    packets = [fault.get("at", {}).get("packet", _ANY) for fault in (one, other)]
    sides = [fault.get("at", {}).get("from") for fault in (one, other)]
    if one["kind"] != other["kind"]:
        return False
    if _ANY in packets:
        return True
    return packets[0] == packets[1] and (None in sides or sides[0] == sides[1])


def explains(find: Sequence[Mapping[str, Any]], faults: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a schedule has faults like each of those of a find."""
    return all(any(_alike(one, other) for other in faults) for one in find)


class Finder:
    """Handles violations of one search. `out` is its folder."""

    def __init__(
        self, laboratory: Laboratory, judge: Judge, space: Space, testbed: Testbed, out: Path
    ) -> None:
        self._laboratory, self._space, self._testbed, self._out = laboratory, space, testbed, out
        self._tried = laboratory.tried
        self._judges = {int(self._tried.parameters["duration_s"]): judge}

    def explained(
        self, violation: Violation, examined: Examined, finds: Sequence[dict[str, Any]]
    ) -> bool:
        """Return whether an earlier find is of the same violation under such faults at the same
        places, or there are enough finds of this expectation; count the violation there."""
        same = [one for one in finds if one["kind"] == violation.kind]
        near = [one for one in same if explains(one["faults"], examined.case.faults)]
        known = near[:1] or same[_MOST_OF_ONE - 1 :]
        for one in known[:1]:
            one["again"] += 1
        return bool(known)

    def _judge(self, duration_s: int) -> Judge | None:
        """Return the judge of trials with a duration; None if the laboratory failed."""
        if duration_s not in self._judges:
            baseline = self._laboratory.begin(Case([], duration_s)).result()
            if baseline.lab_failure:
                return None
            (longest, *_) = self._judges.values()
            self._judges[duration_s] = longest.again(baseline)
        return self._judges[duration_s]

    def _breaks(self, violation: Violation, examined: Examined) -> bool:
        judge = self._judge(examined.case.duration_s)
        return judge is not None and any(
            one.kind == violation.kind for one in judge.violations(examined)
        )

    def unsteady(self, violation: Violation, examined: Examined) -> str:
        """Run a trial once more; return what speaks against the violation, or an empty text."""
        again = self._laboratory.begin(examined.case, again=True).result()
        if again.lab_failure:
            return f"the laboratory failed in the second run: {again.lab_failure}"
        if again.versions != examined.versions:
            return "the laboratory has changed between two runs: begin the search anew"
        if again.digest != examined.digest:
            held = "" if self._breaks(violation, again) else ", and the expectation holds in one"
            return f"two runs of the trial differ{held}"
        return ""

    def shrunk(
        self, violation: Violation, case: Case, until: float, tick: Callable[[str], Any]
    ) -> Examined | None:
        """Return the smallest trial that breaks the same; None if there is none below the case.

        Shrinking ends a minute after `until` at the latest, with the smallest one by then. `tick`
        is called with what is going on.
        """
        deadline = until + _GRACE_S

        def first_failing(cases: Sequence[Case]) -> int | None:
            tick(f"shrinking what breaks {violation.expectation.name}")
            fitting = [number for number, one in enumerate(cases) if self._fits(one)]
            if time.monotonic() >= deadline:
                return None
            found = self._laboratory.first(
                [cases[number] for number in fitting], lambda one: self._breaks(violation, one)
            )
            return None if found is None else fitting[found]

        small = shrink(case, first_failing, self._space.values, self._space.steps_s)
        return None if small == case else self._laboratory.begin(small).result()

    def _fits(self, case: Case) -> bool:
        return self._space.fits(case.faults) and self._laboratory.possible(case)

    def _files(self, folder: Path) -> None:
        """Copy the client into a find's folder, unless it is the laboratory's own."""
        if self._tried.device is None and self._tried.server is None:
            folder.mkdir(parents=True)
            return
        copy_client(self._tried, folder)

    def _document(self, violation: Violation, case: Case) -> dict[str, Any]:
        """Return the thinwire.yaml of a find. The client is built already."""
        found = tryfile.document(self._tried.path)
        found.pop("build", None)
        if "files" in found:
            found["files"] = [self._from_elsewhere(name) for name in found["files"]]
        expectation = violation.expectation
        return found | {
            "duration_s": case.duration_s,
            "seeds": [self._tried.seeds[0]],
            "faults": case.faults,
            "expect": {expectation.name: expectation.text},
        }

    def _from_elsewhere(self, name: Any) -> str:
        """Return the name of a file of the client as a find's folder has it."""
        outside = ".." in Path(str(name)).parts
        return str((self._tried.folder / str(name)).resolve()) if outside else str(name)

    def store(self, violation: Violation, examined: Examined, number: int) -> dict[str, Any]:
        """Store a find, and return its description. `thinwire try` has failed in its folder.

        Raises:
            LabError: the laboratory failed, or the expectation holds in the folder.
        """
        expectation, case = violation.expectation, examined.case
        folder = self._out / hunt_state.FINDS / f"{number:02d}-{expectation.name}"
        shutil.rmtree(folder, ignore_errors=True)
        self._files(folder)
        text = yaml.safe_dump(
            self._document(violation, case), sort_keys=False, default_flow_style=None, width=100
        )
        hunt_state.write(text, folder / tryfile.FILE)
        tried = tryfile.read(folder)
        (trial,) = tried.trials()
        done = runner.run(trial, self._testbed, folder / OUT, **packages(tried, folder / OUT))
        (verdict,) = try_results.measure(tried, [done]).verdicts
        if verdict.holds:
            raise LabError(f"{folder}: the trial holds there what it has broken in the search")
        worst = verdict.worst
        value = f"{worst.value:.4g} {worst.unit}".strip() if worst.value is not None else ""
        said = done.reason if expectation.metric == OUTCOME else value
        found = {
            "number": number,
            "kind": violation.kind,
            "metric": expectation.metric,
            "expected": f"{expectation.name}: {expectation.text}",
            "measured": said or f"not measured: {worst.reason}",
            "specification": specifications().get(expectation.metric, ""),
            "faults": case.faults,
            "duration_s": case.duration_s,
            "folder": str(folder),
            "capture": str(done.folder / "wire.pcapng.gz"),
            "try": shlex.join(["thinwire", "try", str(folder)]),
            "view": shlex.join(["thinwire", "view", str(done.folder)]),
            "again": 0,
        }
        hunt_state.write("\n".join(report(found)) + "\n", folder.with_name(f"{folder.name}.txt"))
        return found


def report(find: Mapping[str, Any]) -> list[str]:
    """Return the report of a find: a paragraph, the faults and the commands."""
    promised = find["specification"]
    count = len(find["faults"])
    faults = "one fault" if count == 1 else f"{count} faults"
    return [
        f"Broken: {find['expected']}. Measured: {find['measured']}."
        + (f" Promised by {promised}." if promised else ""),
        f"The trial lasts {find['duration_s']} s and has {faults}."
        " Without faults it holds the expectation. Two runs had the same bytes.",
        "",
        *(f"  {_fault_text(fault)}" for fault in find["faults"]),
        "",
        f"  repeat     {find['try']}",
        f"  capture    {find['capture']}",
        f"  time line  {find['view']}",
    ]


def _fault_text(fault: Mapping[str, Any]) -> str:
    """Return a fault as a line of YAML."""
    line = yaml.safe_dump(dict(fault), sort_keys=False, default_flow_style=True, width=1000)
    return f"- {line.strip()}"
