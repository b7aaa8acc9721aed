"""Time in the machine `uml`: the board's clock, round trips, progress reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hil.base.errors import LabError
from hil.machine import image
from hil.machine.job import Job
from hil.machine.uml import kernel, run
from hil.machine.uml.probe import Probe
from hil.tests.support.uml import MQTT, first_process, request, results

pytestmark = pytest.mark.lab


def test_the_boards_clock_does_not_drift(uml_image: image.Image, tmp_path: Path) -> None:
    """A minute of messages: the board sends on the grid of the laboratory's clock."""
    calm = MQTT | {"jitter_ms": 0, "loss_pct": 0, "duration_s": 60}
    found = results(uml_image, tmp_path / "trial", calm)
    received = [json.loads(line) for line in found["server.jsonl"].splitlines()]
    sent = [json.loads(line) for line in found["board.jsonl"].splitlines()]
    clocks = {line["seq"]: line["t"] / 1e6 for line in sent if line["ev"] == "sent"}
    apart = [line["t"] - clocks[line["seq"]] for line in received if line["ev"] == "received"]
    assert len(apart) == 600
    assert max(apart) - min(apart) < 100e-6


def test_a_slow_clock_falls_behind_by_its_share(uml_image: image.Image, tmp_path: Path) -> None:
    slow = MQTT | {"jitter_ms": 0, "loss_pct": 0, "duration_s": 20, "clock_ppm": 500}
    found = results(uml_image, tmp_path / "trial", slow)
    received = [json.loads(line) for line in found["server.jsonl"].splitlines()]
    sent = [json.loads(line) for line in found["board.jsonl"].splitlines()]
    clocks = {line["seq"]: line["t"] / 1e6 for line in sent if line["ev"] == "sent"}
    times = [(line["t"], clocks[line["seq"]]) for line in received if line["ev"] == "received"]
    (begin, board_begin), (end, board_end) = times[0], times[-1]
    behind = (end - begin) - (board_end - board_begin)
    assert end - begin > 15
    assert behind == pytest.approx(500e-6 * (end - begin), abs=100e-6)


def test_no_round_trip_is_shorter_than_the_link(uml_image: image.Image, tmp_path: Path) -> None:
    calm = MQTT | {"jitter_ms": 0, "loss_pct": 0, "duration_s": 5}
    lines = results(uml_image, tmp_path / "trial", calm)["board.jsonl"].splitlines()
    said = [json.loads(line) for line in lines]
    began = {line["seq"]: line["t"] for line in said if line["ev"] == "sent"}
    trips = [line["t"] - began[line["seq"]] for line in said if line["ev"] == "acked"]
    assert len(trips) == 50 and min(trips) >= 4000


# CLOCK_BOOTTIME and CLOCK_TAI (11) are the same times, asked of the kernel.
_LOOKS = """import os, time
apart = []
for seen, asked in ((time.CLOCK_MONOTONIC, time.CLOCK_BOOTTIME), (time.CLOCK_REALTIME, 11)):
    if os.fork() == 0:
        time.sleep(0.5)
        os._exit(0)
    os.wait()
    apart += [time.clock_gettime_ns(asked) - time.clock_gettime_ns(seen)]
    apart += [time.clock_gettime_ns(seen) - time.clock_gettime_ns(seen)]
raise SystemExit(f"apart {apart}")
"""


def test_a_look_at_the_clock_is_what_the_kernel_would_say(
    uml_image: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It needs no system call, so it takes no time."""
    monkeypatch.setattr(kernel, "words", first_process(_LOOKS))
    with pytest.raises(LabError, match=r"apart \[0, 0, 0, 0\]"):
        run.run(uml_image, Job(request(MQTT), tmp_path, 60))


# From the vDSO: the timer of a sleeping child, and nothing while another process is ready to run.
_NEXT_EVENT = """import ctypes, os, time
next_event = ctypes.CDLL("linux-vdso.so.1").__getattr__("__vdso_next_event")
next_event.restype = ctypes.c_ulong
if (child := os.fork()) == 0:
    time.sleep(3)
    os._exit(0)
time.sleep(2.5)
ahead = next_event() - time.monotonic_ns()
os.waitpid(child, 0)
if os.fork() == 0:
    os._exit(0)
raise SystemExit(f"ahead {ahead // 10**6} ms, then {next_event()}")
"""


def test_the_kernel_tells_until_when_everything_else_sleeps(
    uml_image: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "words", first_process(_NEXT_EVENT))
    with pytest.raises(LabError, match="ahead 500 ms, then 0"):
        run.run(uml_image, Job(request(MQTT), tmp_path, 60))


def test_progress_is_virtual_time(
    uml_image: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_CHECK_S", 0.05)
    seconds: list[int] = []
    run.run(uml_image, Job(request(MQTT | {"duration_s": 20}), tmp_path, 600, seconds.append))
    assert seconds == sorted(seconds) and 10 <= seconds[-1] < 60


def test_a_process_that_is_gone_has_no_time() -> None:
    assert Probe(2**22, {"time_travel_time": 0}).virtual_ns() is None
