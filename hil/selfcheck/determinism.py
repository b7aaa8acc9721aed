"""Does the laboratory repeat its results here? `python -m hil.selfcheck.determinism`

It runs one trial many times and prints a digest of each bundle; with --snapshots it creates new
snapshots of the machine instead and prints their digests.

Busy processes compete for the cores meanwhile, because an overloaded host is what could change
results; --at-once runs several trials side by side. If a run differs from the first one, the first
divergence is printed. The exit status is 1 if two runs differ, or if one was retried or has no
bundle.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hil.base.errors import ThinwireError, TrialError
from hil.bundle import diff
from hil.bundle import store as bundle
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine import image, machines, snapshot
from hil.rig.request import TrialRequest
from hil.selfcheck.smoke import SMOKE
from hil.system import retry, scratch
from hil.system.progress import Progress, in_silence
from hil.testbeds import runner
from hil.testbeds.base import Result, Testbed

TRIAL = SMOKE | {"protocol": "mqtt", "qos": 1, "loss_pct": 2}


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """Run programs that use one core each, for a block."""
    words = retry.die_with_parent([sys.executable, "-c", "while True: pass"])
    hogs = [subprocess.Popen(words) for _ in range(processes)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


class Counted(Testbed):
    """A testbed that counts how often a trial was started."""

    def __init__(self, testbed: Testbed) -> None:
        self.name, self._testbed = testbed.name, testbed
        self.starts = 0

    def check(self, trial: Trial) -> None:
        self._testbed.check(trial)

    def prepare(self) -> None:
        self._testbed.prepare()

    def run(
        self, request: TrialRequest, timeout_s: float, progress: Progress = in_silence
    ) -> Result:
        self.starts += 1
        return self._testbed.run(request, timeout_s, progress)


def keep(testbed: Testbed, parameters: dict[str, object], folder: Path) -> Path:
    """Run the trial once; return its bundle in `folder`. TrialError if the trial failed."""
    done = runner.run(Trial("repeat", {}, 1, effective(parameters, "repeat")), testbed, folder)
    if done.outcome != "ok":
        raise TrialError(done.reason)
    return done.folder


def digest(folder: Path) -> str:
    """Return the SHA-256 of a bundle's list of sums."""
    return bundle.digest((folder / bundle.SUMS).read_bytes())


def _runs(settings: argparse.Namespace, folder: Path) -> int:
    """Print a line for each run and a summary; return the number of irregular runs."""
    testbed = Counted(runner.testbed("virtual", machine=settings.machine))
    testbed.prepare()
    parameters = TRIAL | {"duration_s": settings.duration}
    first: Path | None = None
    seen: dict[str, int] = {}
    lost = 0

    def once(number: int) -> tuple[Path | None, str]:
        with scratch.folder() as aside:
            try:
                made = keep(testbed, parameters, aside)
            except ThinwireError as error:
                return None, str(error)
            target = folder / str(number)
            made.rename(target)
            return target, digest(target)

    began = time.monotonic()
    with ThreadPoolExecutor(settings.at_once) as pool:
        for number, (made, text) in enumerate(pool.map(once, range(settings.runs)), start=1):
            print(f"{number:5} {text}", flush=True)
            if made is None:
                lost += 1
                continue
            if first is not None and text not in seen:
                print(f"first difference {diff.divergences(first, made)[0]}", flush=True)
            seen[text] = seen.get(text, 0) + 1
            if first is None:
                first = made
            else:
                shutil.rmtree(made)
    again = testbed.starts - settings.runs
    print(
        f"{settings.runs} runs in {time.monotonic() - began:.0f} s: {len(seen)} different, "
        f"{again} begun again, {lost} without a bundle"
    )
    return max(0, len(seen) - 1) + again + lost


def _snapshots(count: int) -> int:
    """Print the digest of each new snapshot; return how many differ from the one in use."""
    made = image.build()
    print(f"    {snapshot.ensure(made)} in use", flush=True)
    seen = set()
    for number in range(count):
        again = snapshot.another(made)
        seen.add(again)
        print(f"{number + 1:5} {again}", flush=True)
    print(f"{count} made, {len(seen)} different")
    return len(seen) - 1


def main() -> int:
    """Return 0 if all runs or snapshots are equal."""
    parser = argparse.ArgumentParser(
        prog="python -m hil.selfcheck.determinism", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--at-once", type=int, default=1, metavar="N", help="runs side by side")
    parser.add_argument("--snapshots", type=int, metavar="N", help="boot N times, run no trial")
    parser.add_argument("--busy", type=int, default=4, help="programs that use a core each")
    parser.add_argument("--duration", type=int, default=60, help="virtual seconds")
    parser.add_argument("--machine", default="auto", choices=machines.NAMES)
    settings = parser.parse_args()
    with busy(settings.busy), scratch.folder() as folder:
        wrong = _snapshots(settings.snapshots) if settings.snapshots else _runs(settings, folder)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
