"""Does the lab repeat here? `python -m hil.selfcheck.determinism`

It prints a digest of each run's bundle, and with --snapshots of as many new snapshots of its
machine instead.

Busy processes take the cores from the lab meanwhile, because an overloaded host is what could
change the course of the machine; --at-once has many runs under way side by side. Where a run
differs from the first one, the first event at which they part is told. Exit status 1 if two runs
differ, or one was begun again or has no bundle.
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
from hil.design.studies import Trial
from hil.machine import image, machines, snapshot
from hil.rig.request import TrialRequest
from hil.system import retry, scratch
from hil.system.progress import Progress, in_silence
from hil.testbeds import runner
from hil.testbeds.base import Result, Testbed

TRIAL = {
    "protocol": "mqtt",
    "qos": 1,
    "payload_bytes": 30,
    "interval_ms": 100,
    "keepalive_s": 60,
    "link": "netem",
    "delay_ms": 2,
    "jitter_ms": 0.5,
    "loss_pct": 2,
}


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """Programs that want a core each."""
    words = retry.die_with_parent([sys.executable, "-c", "while True: pass"])
    hogs = [subprocess.Popen(words) for _ in range(processes)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


class Counted(Testbed):
    """A testbed that knows how often it was asked to carry out a trial."""

    def __init__(self, place: Testbed) -> None:
        self.name, self._place = place.name, place
        self.asked = 0

    def check(self, trial: Trial) -> None:
        self._place.check(trial)

    def prepare(self) -> None:
        self._place.prepare()

    def run(
        self, request: TrialRequest, timeout_s: float, progress: Progress = in_silence
    ) -> Result:
        self.asked += 1
        return self._place.run(request, timeout_s, progress)


def keep(place: Testbed, parameters: dict[str, object], folder: Path) -> Path:
    """Run the trial once; its bundle in `folder`. TrialError if it went wrong."""
    done = runner.run(Trial("repeat", {}, 1, effective(parameters, "repeat")), place, folder)
    if done.outcome != "ok":
        raise TrialError(done.reason)
    return done.folder


def digest(folder: Path) -> str:
    """The SHA-256 of a bundle's list of sums."""
    return bundle.digest((folder / bundle.SUMS).read_bytes())


def _runs(settings: argparse.Namespace, folder: Path) -> int:
    """Print a line for each run and what they come to; the number of what should not be."""
    place = Counted(runner.testbed("virtual", machine=settings.machine))
    place.prepare()
    parameters = TRIAL | {"duration_s": settings.duration}
    first: Path | None = None
    seen: dict[str, int] = {}
    lost = 0

    def once(number: int) -> tuple[Path | None, str]:
        with scratch.folder() as aside:
            try:
                made = keep(place, parameters, aside)
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
    again = place.asked - settings.runs
    print(
        f"{settings.runs} runs in {time.monotonic() - began:.0f} s: {len(seen)} different, "
        f"{again} begun again, {lost} without a bundle"
    )
    return max(0, len(seen) - 1) + again + lost


def _snapshots(count: int) -> int:
    """Print the digest of each new snapshot; how many differ from the first."""
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
    """0 if all are alike."""
    parser = argparse.ArgumentParser(
        prog="python -m hil.selfcheck.determinism", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--at-once", type=int, default=1, metavar="N", help="runs side by side")
    parser.add_argument("--snapshots", type=int, metavar="N", help="boot N times, run no trial")
    parser.add_argument("--busy", type=int, default=4, help="programs that want a core each")
    parser.add_argument("--duration", type=int, default=60, help="virtual seconds")
    parser.add_argument("--machine", default="auto", choices=machines.NAMES)
    settings = parser.parse_args()
    with busy(settings.busy), scratch.folder() as folder:
        wrong = _snapshots(settings.snapshots) if settings.snapshots else _runs(settings, folder)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
