"""Measure how fast the laboratory is here: `python -m hil.selfcheck.bench`.

It prints `machine,metric,value,unit,n`. With --emulator the machine's name includes the board's
emulator, as in `uml/lx106`.

Times are the best of a few runs, both wall time and processor time (user and system, of this
process and its children). On a busy host, compare processor time. The machines alternate.
--rabbitmq adds trials of AMQP, which in `uml` include the start of RabbitMQ. --soak adds the trials
of the study `soak`, an hour or a day each, once. --devices measures cells with these numbers of
devices instead, each with a message every ten seconds: the speed, and the memory of the laboratory
and of a further device.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.base.documents import read_lines
from hil.design.parameters import effective
from hil.design.studies import load_study
from hil.design.trials import Trial
from hil.machine import image, machines, snapshot
from hil.machine.uml import frozen
from hil.rig.boards import emulators
from hil.selfcheck.smoke import SMOKE, STEADY
from hil.system import scratch
from hil.testbeds import runner
from hil.testbeds.base import Testbed

_REPEATS = 3
_BUSY = STEADY | {"protocol": "mqtt", "qos": 1, "keepalive_s": SMOKE["keepalive_s"]}
_IDLE = _BUSY | {"interval_ms": 3_600_000, "keepalive_s": 0}
_CELL = {key: value for key, value in _BUSY.items() if key != "delay_ms"} | {
    "link": "air",
    "wifi_standard": "g",
}
_LOADED = _CELL | {
    "background_profile": "bulk",
    "background_stations": 5,
    "background_load_mbps": 10,
}


_FLEET = _CELL | {"interval_ms": 10_000}
_FLEET_S = (15, 45)
_AMQP = {key: value for key, value in _BUSY.items() if key not in ("qos", "keepalive_s")} | {
    "protocol": "amqp",
    "confirmable": True,
}
Lengths = dict[str, tuple[dict[str, Any], tuple[int, int]]]
_LENGTHS_S: Lengths = {
    "idle": (_IDLE, (10, 310)),
    "mqtt_qos1_10hz": (_BUSY, (10, 70)),
    "mqtt_qos1_10hz_air": (_CELL, (10, 70)),
    "mqtt_qos1_10hz_air_loaded": (_LOADED, (10, 70)),
}
_RABBITMQ_S: Lengths = {"amqp_confirms_10hz": (_AMQP, (10, 70))}


def _cpu_s() -> float:
    """Return the processor time of this process and of all finished child processes, in s."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in used)


@dataclass(frozen=True)
class Cost:
    """Wall time and processor time, in s."""

    wall_s: float
    cpu_s: float


def _cost(action: Callable[[], object]) -> Cost:
    started, before = time.perf_counter(), _cpu_s()
    action()
    return Cost(time.perf_counter() - started, _cpu_s() - before)


def _best(costs: list[Cost]) -> Cost:
    return Cost(min(cost.wall_s for cost in costs), min(cost.cpu_s for cost in costs))


def _row(machine: str, metric: str, value: float, unit: str, count: int = _REPEATS) -> None:
    print(f"{machine},{metric},{value:.4g},{unit},{count}", flush=True)


def _rows(machine: str, metric: str, cost: Cost, count: int = _REPEATS) -> None:
    _row(machine, f"{metric}_wall", cost.wall_s, "s", count)
    _row(machine, f"{metric}_cpu", cost.cpu_s, "s", count)


def _build_times(folder: Path) -> None:
    """Measure a complete build in an empty folder: the image, then the snapshot for `qemu`."""
    _rows("both", "image_build", _cost(lambda: image.build(lab=folder)), 1)
    made = image.build(lab=folder)
    _rows("qemu", "snapshot", _cost(lambda: snapshot.create(made)), 1)
    for name in ("archive", "memory", "state"):
        used = getattr(made, name).stat().st_blocks * 512 / 2**20
        _row("both" if name == "archive" else "qemu", f"disk_{name}", used, "MiB", 1)


def _run(trial: Trial, testbed: Testbed, out: Path) -> None:
    done = runner.run(trial, testbed, out)
    if done.outcome != "ok":
        sys.exit(f"bench: {trial.study}/{trial.id}: {done.outcome}: {done.reason}")


def _trials(
    testbeds: dict[str, Testbed], parameters: dict[str, Any], seconds: int, out: Path
) -> dict[str, Cost]:
    """Return for each testbed the best cost of a trial of `seconds` virtual seconds."""
    trial = Trial("bench", {}, 1, effective(parameters | {"duration_s": seconds}, "bench"))
    costs: dict[str, list[Cost]] = {name: [] for name in testbeds}
    for _ in range(_REPEATS):
        for name, testbed in testbeds.items():
            costs[name].append(_cost(lambda testbed=testbed: _run(trial, testbed, out)))  # type: ignore[misc]
    return {name: _best(found) for name, found in costs.items()}


def _slopes(testbeds: dict[str, Testbed], lengths: Lengths, out: Path) -> None:
    """Print the cost of a virtual second, from the slope between a short and a long trial."""
    for metric, (parameters, (few, many)) in lengths.items():
        short, long = (_trials(testbeds, parameters, length, out) for length in (few, many))
        for name in testbeds:
            _rows(name, f"trial_of_{few}_s_{metric}", short[name])
            slope = Cost(
                (long[name].wall_s - short[name].wall_s) / (many - few),
                (long[name].cpu_s - short[name].cpu_s) / (many - few),
            )
            _rows(name, f"virtual_second_{metric}", slope)
            _row(name, f"times_real_time_{metric}_wall", 1 / slope.wall_s, "1")
            _row(name, f"times_real_time_{metric}_cpu", 1 / slope.cpu_s, "1")


def _speeds(testbeds: dict[str, Testbed], lengths: Lengths, out: Path) -> None:
    """Print the cost of the shortest trial, and of a virtual second."""
    for name, cost in _trials(testbeds, _IDLE, 1, out).items():
        _rows(name, "shortest_trial", cost)
    copying = {name: testbed for name, testbed in testbeds.items() if name.startswith("uml")}
    with frozen.kept():  # whose processor time is known only at its end
        for name, cost in _trials(copying, _IDLE, 1, out).items():
            _row(name, "shortest_trial_in_a_copy_wall", cost.wall_s, "s")
    _slopes(testbeds, lengths, out)


def _memory_mib(testbed: Testbed, parameters: dict[str, Any], out: Path) -> float:
    """Return the anonymous memory of the whole laboratory in the middle of a trial, in MiB."""
    seconds = _FLEET_S[0]
    given = parameters | {"duration_s": seconds, "footprint_s": seconds - 1}
    trial = Trial("bench", {}, 1, effective(given, "bench"))
    _run(trial, testbed, out)
    lines = (line for line, _ in read_lines(out / trial.study / trial.id / "server.jsonl"))
    return next(
        line["memory_kib"] / 1024
        for line in lines
        if line["ev"] == "footprint" and line["server"] == "lab"
    )


def _fleets(testbeds: dict[str, Testbed], numbers: list[int], out: Path) -> None:
    """Print speed and memory of cells with these numbers of devices."""
    for name, testbed in testbeds.items():
        alone_mib = _memory_mib(testbed, _FLEET, out)
        _row(name, "memory_1_devices", alone_mib, "MiB", 1)
        for number in (number for number in numbers if number > 1):
            mib = _memory_mib(testbed, _FLEET | {"devices": number}, out)
            _row(name, f"memory_{number}_devices", mib, "MiB", 1)
            each_mib = (mib - alone_mib) / (number - 1)
            _row(name, f"memory_each_of_{number}_devices", each_mib, "MiB", 1)
    lengths = {f"{number}_devices": (_FLEET | {"devices": number}, _FLEET_S) for number in numbers}
    _slopes(testbeds, lengths, out)


def _soak(profile: str, out: Path) -> None:
    """Measure the trials of the study `soak`, each in its default machine."""
    testbed = runner.testbed("virtual")
    for trial in load_study("soak").trials(profile):
        cost = _cost(lambda trial=trial: _run(trial, testbed, out))  # type: ignore[misc]
        _rows("auto", f"soak_{profile}_{trial.parameters['mode']}", cost, 1)


def _testbeds(names: list[str], emulated: list[str] | None) -> dict[str, Testbed]:
    """Return a testbed for each machine, with the default emulator or with each of `emulated`."""
    if not emulated:
        return {name: runner.testbed("virtual", machine=name) for name in names}
    return {
        f"{name}/{emulator}": runner.testbed("virtual", machine=name, emulator=emulator)
        for name in names
        for emulator in emulated
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m hil.selfcheck.bench", description=__doc__)
    named = [name for name in machines.NAMES if name != "auto"]
    parser.add_argument("--machine", nargs="+", choices=named, default=named)
    parser.add_argument("--emulator", nargs="+", choices=emulators.EMULATORS)
    parser.add_argument("--build", action="store_true", help="also image and snapshot from scratch")
    parser.add_argument("--rabbitmq", action="store_true", help="also trials of AMQP")
    parser.add_argument("--devices", nargs="+", type=int, metavar="N")
    parser.add_argument("--soak", choices=["quick", "full"], help="an hour each, or a day")
    settings = parser.parse_args()
    print("machine,metric,value,unit,n")
    with scratch.folder() as folder:
        if settings.build:
            _build_times(folder / "lab")
            shutil.rmtree(folder / "lab")
        testbeds = _testbeds(settings.machine, settings.emulator)
        for testbed in testbeds.values():
            testbed.prepare()
        if settings.devices:
            _fleets(testbeds, settings.devices, folder)
            return
        _speeds(testbeds, _LENGTHS_S | (_RABBITMQ_S if settings.rabbitmq else {}), folder)
        if settings.soak:
            _soak(settings.soak, folder)


if __name__ == "__main__":
    main()
