"""Does the board's clock drift against the laboratory's? `python -m hil.selfcheck.clock_drift`

It runs a day of virtual time in the machine `uml` and prints the distance of the clocks per hour.

Each message takes equally long, so the time from the board's stamp to the server's is the distance
of the clocks plus a constant. The exit status is 1 if it varies by more than --limit.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
from pathlib import Path

from hil.base.documents import read_lines
from hil.base.errors import TrialError
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.system import scratch
from hil.testbeds import runner

CALM = {"mode": "mqtt-qos1", "nagle": False, "payload_bytes": 100, "link": "netem", "delay_ms": 2}


def distances(folder: Path) -> list[tuple[float, float]]:
    """Return for each message of a bundle the server's time in s, and its distance from the board's
    in us, relative to the first message."""
    board, server = (
        [entry for entry, _ in read_lines(folder / f"{name}.jsonl")] for name in ("board", "server")
    )
    sent = {line["seq"]: line["t"] for line in board if line["ev"] == "sent"}
    found = [
        (line["t"], line["t"] * 1e6 - sent[line["seq"]])
        for line in server
        if line["ev"] == "received"
    ]
    return [(at, apart - found[0][1]) for at, apart in found]


def main() -> int:
    """Return 0 if the clocks stay together."""
    parser = argparse.ArgumentParser(
        prog="python -m hil.selfcheck.clock_drift", description=__doc__
    )
    parser.add_argument("--duration", type=int, default=86_400, help="virtual seconds")
    parser.add_argument("--interval", type=int, default=10_000, help="ms between messages")
    parser.add_argument("--limit", type=float, default=200.0, help="us")
    settings = parser.parse_args()
    wanted = CALM | {"interval_ms": settings.interval, "duration_s": settings.duration}
    trial = Trial("drift", {}, 1, effective(wanted, "drift"))
    with scratch.folder() as folder:
        done = runner.run(trial, runner.testbed("virtual", machine="uml"), folder)
        if done.outcome != "ok":
            raise TrialError(done.reason)
        found = distances(done.folder)
    began = found[0][0]
    hours = {
        hour: [apart for _, apart in some]
        for hour, some in itertools.groupby(found, lambda pair: int(pair[0] - began) // 3600)
    }
    print("hour,median_us,least_us,greatest_us")
    for hour, apart in hours.items():
        print(f"{hour},{statistics.median(apart):.1f},{min(apart):.1f},{max(apart):.1f}")
    apart = [distance for _, distance in found]
    return int(max(apart) - min(apart) > settings.limit)


if __name__ == "__main__":
    sys.exit(main())
