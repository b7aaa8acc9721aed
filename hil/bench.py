"""How fast the lab is here: `python -m hil.bench` prints `metric,value,unit,n`.

Times are the best of a few runs; where others use this machine too, look at processor time.
"""

from __future__ import annotations

import json
import resource
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from hil import runner
from hil.design.parameters import effective
from hil.design.studies import Trial
from hil.machine import image, snapshot
from hil.system import scratch

_REPEATS = 3
_BASE = {
    "protocol": "mqtt",
    "qos": 1,
    "payload_bytes": 30,
    "keepalive_s": 60,
    "link": "netem",
    "delay_ms": 2,
}
_BUSY = _BASE | {"interval_ms": 100}
_IDLE = _BASE | {"interval_ms": 3_600_000, "keepalive_s": 0}
_CELL = {key: value for key, value in _BUSY.items() if key != "delay_ms"} | {
    "link": "air",
    "wifi_standard": "g",
}
_LOADED = _CELL | {
    "background_profile": "bulk",
    "background_stations": 5,
    "background_load_mbps": 10,
}


def _children_cpu_s() -> float:
    """Processor time of all finished child processes: QEMU's, mostly."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class Cost:
    """Seconds of the fastest of some runs: on the wall, and of the processor."""

    wall_s: float
    cpu_s: float


def _best(action: Callable[[], object], repeats: int = _REPEATS) -> Cost:
    """Run an action some times."""
    walls, cpus = [], []
    for _ in range(repeats):
        started, before = time.perf_counter(), _children_cpu_s()
        action()
        walls.append(time.perf_counter() - started)
        cpus.append(_children_cpu_s() - before)
    return Cost(min(walls), min(cpus))


def _cost(metric: str, cost: Cost, count: int = _REPEATS) -> None:
    _row(f"{metric}_wall", cost.wall_s, "s", count)
    _row(f"{metric}_cpu", cost.cpu_s, "s", count)


def _row(metric: str, value: float, unit: str, count: int = _REPEATS) -> None:
    print(f"{metric},{value:.3f},{unit},{count}")
    sys.stdout.flush()


def _build_times(folder: Path) -> None:
    """A whole build in an empty folder: image, then boot and snapshot."""
    with mock.patch.object(image, "LAB", folder):
        _cost("image_build", _best(image.build, 1), 1)
        made = image.build()
        _cost("snapshot", _best(lambda: snapshot.create(made), 1), 1)
    for name in ("archive", "memory", "state"):
        used = getattr(made, name).stat().st_blocks * 512 / 2**20
        _row(f"disk_{name}", used, "MiB", 1)


def _trial(place: Any, parameters: dict[str, Any], seconds: int, out: Path) -> Cost:
    """Cost of a trial of `seconds` virtual seconds."""
    trial = Trial("bench", {}, 1, effective(parameters | {"duration_s": seconds}, "bench"))

    def once() -> None:
        done = runner.run(trial, place, out)
        if done.outcome != "ok":
            sys.exit(f"bench: {json.dumps(parameters)}: {done.outcome}: {done.reason}")

    return _best(once)


def main() -> None:
    """Measure and print."""
    print("metric,value,unit,n")
    with scratch.folder() as folder:
        _build_times(folder / "lab")
        shutil.rmtree(folder / "lab")
        place = runner.testbed("virtual")
        place.prepare()
        _cost("shortest_trial", _trial(place, _IDLE, 1, folder))
        for name, parameters, lengths in (
            ("idle", _IDLE, (10, 310)),
            ("mqtt_qos1_10hz", _BUSY, (10, 70)),
            ("mqtt_qos1_10hz_air", _CELL, (10, 70)),
            ("mqtt_qos1_10hz_air_loaded", _LOADED, (10, 70)),
        ):
            short, long = (_trial(place, parameters, length, folder) for length in lengths)
            span = lengths[1] - lengths[0]
            slope = Cost((long.wall_s - short.wall_s) / span, (long.cpu_s - short.cpu_s) / span)
            _cost(f"virtual_second_{name}", slope)
            _row(f"times_real_time_{name}", 1 / slope.wall_s, "1")
        _cost("quickstart_trial_30s_10hz", _trial(place, _BUSY, 30, folder))


if __name__ == "__main__":
    main()
