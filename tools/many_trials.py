"""Thousands of short trials in one workflow: prints `metric,value,unit`.

    many_trials.py WORKDIR [--trials N] [--again M] [--cores C] [--modes MODE...] [--unmeasured]

PLACE gets a copy of the work tree with a study of N trials, of every mode of every protocol, each
with a seed of its own, and the workflow runs and measures them (or only runs them). Then M of them
run once more, and their bundles are held against the first ones. The same command goes on after an
interruption. The copy uses the laboratory that is built here: leave it alone meanwhile, or all
trials run again.
Exit status 1: a trial went wrong, was begun again or has no bundle, or two bundles differ.
"""

import argparse
import contextlib
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import worktree
import yaml

from hil.base.errors import InputError, ThinwireError, print_error
from hil.bundle import diff, store
from hil.design.studies import Study
from hil.design.trials import Trial
from hil.system.footprint import footprint, share_kib

NAME = "many"
SHARED = ["build/kernel", "build/lab", "build/uml"]
CONSTANTS = {
    "link": "netem",
    "delay_ms": 2,
    "jitter_ms": 0.5,
    "loss_pct": 2,
    "payload_bytes": 30,
    "interval_ms": 100,
}
FIRST = "first"  # below PLACE: the bundles of trials that run again
_ABSENT = "absent"
_MOST = 1000  # repetitions, as the schema of studies has it
_LOOK_S = 10
_KIB = 1024


def study(trials: int, modes: list[str]) -> dict[str, Any]:
    """A second of messages over a lossy link, in each mode as often as makes so many trials."""
    blocks = [{"mode": modes, "duration_s": [1]}]

    def repeated(repetitions: int) -> dict[str, Any]:
        profile = {"repetitions": repetitions, "blocks": blocks}
        return worktree.study(NAME, profile, constants=CONSTANTS)

    once = len(Study(Path(NAME), repeated(1)).trials("quick"))
    if not 0 < trials <= once * _MOST:
        raise InputError("--trials", str(trials), "cannot be", f"give 1 to {once * _MOST}")
    return repeated(math.ceil(trials / once))


def prepare(workdir: Path, document: dict[str, Any]) -> list[Trial]:
    """The trials of the study in PLACE, which is made, or was made with the same study.

    Raises:
        InputError: it holds something else.
    """
    if not workdir.exists():
        worktree.lay_out(workdir, document, SHARED)
    path = worktree.study_file(workdir, NAME)
    known = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else None
    if known != document:
        raise InputError(workdir, "", "holds something else", "name a new folder, or delete it")
    return Study(path, document).trials("quick")


def run_workflow(workdir: Path, goals: list[str], cores: str) -> Counter[str]:
    """Run Snakemake in PLACE, its messages go to PLACE/log; the most that it took at once, of each
    kind (hil/system/footprint.py)."""
    environment = os.environ | {"PYTHONPATH": str(workdir)}
    words = ["setpriv", "--pdeathsig", "KILL", "snakemake", "--cores", cores, "--keep-going"]
    with (workdir / "log").open("ab") as log:
        process = subprocess.Popen(
            [*words, "--", *goals], cwd=workdir, stdout=log, stderr=log, env=environment
        )
        peaks: Counter[str] = Counter()
        ended = threading.Event()

        def look() -> None:
            while not ended.wait(_LOOK_S):
                now = footprint(process.pid, share_kib)
                peaks.update(now - peaks)  # the greater of each

        watcher = threading.Thread(target=look)
        watcher.start()
        try:
            process.wait()
        finally:
            ended.set()
            watcher.join()
    if process.returncode:
        print(f"many_trials: Snakemake ended in trouble; see {workdir / 'log'}", file=sys.stderr)
    return peaks


def bundles(names: Iterable[str]) -> list[str]:
    """What the workflow is asked for where these trials shall run."""
    return [f"data/raw/{NAME}/{name}/lab.json" for name in names]


def outcome(folder: Path) -> str:
    """How a trial went; `absent` without a bundle."""
    try:
        return str(json.loads((folder / "lab.json").read_text(encoding="utf-8"))["outcome"])
    except FileNotFoundError:
        return _ABSENT


def begun_again(workdir: Path, names: Iterable[str]) -> int:
    """How often these trials were last begun again after a transient error of the host."""
    folder, count = workdir / "results" / "logs" / "trials" / NAME, 0
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            log = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
            count += log.count("; once more (")
    return count


def set_aside(workdir: Path, trials: list[Trial], count: int) -> list[str]:
    """Move the bundles of `count` trials, spread over all, out of the workflow's way; their names.
    Those that were moved before an interruption are the ones."""
    aside = workdir / FIRST
    if not aside.exists() and count:
        aside.mkdir()
        for trial in trials[:: max(1, len(trials) // count)][:count]:
            folder = workdir / "data" / "raw" / NAME / trial.id
            if outcome(folder) != _ABSENT:
                folder.rename(aside / trial.id)
    return sorted(path.name for path in aside.iterdir()) if count else []


def differing(workdir: Path, names: list[str]) -> list[str]:
    """Trials whose two bundles differ, each with the first event at which they part."""
    lines = []
    for name in names:
        one, two = workdir / FIRST / name, workdir / "data" / "raw" / NAME / name
        if outcome(two) == _ABSENT:
            lines.append(f"{name}: no second bundle")
        elif store.file_digest(one / store.SUMS) != store.file_digest(two / store.SUMS):
            lines.append(f"{name}: {diff.divergences(one, two)[0]}")
    return lines


def row(metric: str, value: object, unit: str = "1") -> None:
    print(f"{metric},{value},{unit}", flush=True)


def run(options: argparse.Namespace) -> int:
    """Run and report; 1 if something is not as it should be."""
    workdir = options.workdir.resolve()
    trials = prepare(workdir, study(options.trials, options.modes))
    raw = workdir / "data" / "raw" / NAME
    stored = sum(outcome(raw / trial.id) != _ABSENT for trial in trials)
    row("stored_before", stored)
    began, before = time.monotonic(), os.times()
    goals = [f"results/metrics/{NAME}.csv"]
    if options.unmeasured:
        goals = bundles(trial.id for trial in trials)
    peaks = run_workflow(workdir, goals, options.cores)
    wall, after = time.monotonic() - began, os.times()
    row("wall", f"{wall:.0f}", "s")
    used = after.children_user + after.children_system
    row("cpu", f"{used - before.children_user - before.children_system:.0f}", "s")
    for name in ("processes", "open_files"):
        row(f"peak_{name}", peaks[name])
    row("peak_memory", f"{peaks['memory_kib'] / _KIB:.0f}", "MiB")
    outcomes = Counter(
        outcome(workdir / FIRST / trial.id)
        if (workdir / FIRST / trial.id).exists()
        else outcome(raw / trial.id)
        for trial in trials
    )
    for name, number in sorted(outcomes.items()):
        row(f"trials_{name}", number)
    again = begun_again(workdir, [trial.id for trial in trials])
    names = set_aside(workdir, trials, options.again)
    if names:
        run_workflow(workdir, bundles(names), options.cores)
        again += begun_again(workdir, names)
    lines = differing(workdir, names)
    row("run_twice", len(names))
    row("differ", len(lines))
    row("begun_again", again)
    for line in lines:
        print(line, file=sys.stderr)
    return int(bool(lines or again or outcomes.keys() - {"ok"}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workdir", type=Path)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--again", type=int, default=100, help="trials that run twice")
    parser.add_argument("--cores", default="all", help="trials at once: a number, or all")
    parser.add_argument("--unmeasured", action="store_true", help="only run them")
    parser.add_argument("--modes", nargs="+", default=["all"], help="as a study names them")
    try:
        return run(parser.parse_args())
    except ThinwireError as error:
        return print_error(error)


if __name__ == "__main__":
    sys.exit(main())
