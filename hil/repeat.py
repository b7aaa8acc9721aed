"""Does the lab repeat here? `python -m hil.repeat` prints a digest of each run's bundle, and with
--snapshots of as many new snapshots of its machine instead.

Busy processes take the cores from the lab meanwhile, because an overloaded host is what could
change the course of the machine. Exit status 1 if two runs differ.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
from collections.abc import Iterator

from hil import runner
from hil.bundle import store as bundle
from hil.design.parameters import effective
from hil.design.studies import Trial
from hil.errors import TrialError
from hil.machine import image, machines, snapshot
from hil.system import accidents, scratch

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
    words = accidents.tied([sys.executable, "-c", "while True: pass"])
    hogs = [subprocess.Popen(words) for _ in range(processes)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def digest(duration_s: int, machine: str) -> str:
    """Run the trial; the SHA-256 of its bundle's list of sums."""
    trial = Trial("repeat", {}, 1, effective(TRIAL | {"duration_s": duration_s}, "repeat"))
    with scratch.folder() as folder:
        done = runner.run(trial, runner.testbed("virtual", machine=machine), folder)
        if done.outcome != "ok":
            raise TrialError(done.reason)
        return bundle.digest((done.folder / bundle.SUMS).read_bytes())


def main() -> int:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(prog="python -m hil.repeat", description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--snapshots", type=int, metavar="N", help="boot N times, run no trial")
    parser.add_argument("--busy", type=int, default=4, help="programs that want a core each")
    parser.add_argument("--duration", type=int, default=60, help="virtual seconds")
    parser.add_argument("--machine", default="auto", choices=machines.NAMES)
    settings = parser.parse_args()
    if settings.snapshots:
        made = image.build()
        print(f"    {snapshot.ensure(made)} in use", flush=True)
    else:
        runner.testbed("virtual", machine=settings.machine).prepare()
    seen = []
    with busy(settings.busy):
        for number in range(settings.snapshots or settings.runs):
            again = (
                snapshot.another(made)
                if settings.snapshots
                else digest(settings.duration, settings.machine)
            )
            seen.append(again)
            print(f"{number + 1:3} {again}", flush=True)
    print(f"{len(seen)} made, {len(set(seen))} different")
    return int(len(set(seen)) > 1)


if __name__ == "__main__":
    sys.exit(main())
