"""Are trials repeated after transient host errors, which must never count as results?"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hil.base.errors import LAB_FAILED, LabError, TransientHostError
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine import machine
from hil.rig.request import TrialReport
from hil.system import retry
from hil.testbeds import runner
from hil.testbeds.base import Result
from hil.testbeds.virtual import VirtualTestbed
from hil.tests.lab.test_lab import MQTT, hashes, lab, run, trial

__all__ = ["lab"]


def failing(times: int, error: type[LabError]) -> Callable[[], int]:
    """A function that fails some times before it returns how often it was called."""
    calls = 0

    def act() -> int:
        nonlocal calls
        calls += 1
        if calls <= times:
            raise error("the host did it")
        return calls

    return act


def test_an_accident_is_tried_twice_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert retry.retry_transient(failing(2, TransientHostError)) == 3
    assert capsys.readouterr().err.count("the host did it; once more") == 2


def test_a_third_accident_is_an_error_that_says_what_happened() -> None:
    act = failing(3, TransientHostError)
    with pytest.raises(LabError, match="the host did it; this was the last of 3 tries") as caught:
        retry.retry_transient(act)
    assert not isinstance(caught.value, TransientHostError) and caught.value.status == 3
    assert act() == 4


def test_a_laboratory_that_fails_is_not_tried_again() -> None:
    act = failing(1, LabError)
    with pytest.raises(LabError):
        retry.retry_transient(act)
    assert act() == 2


def test_a_trial_that_never_began_leaves_no_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unready(VirtualTestbed):
        def run(self, *_: object) -> Result:
            return Result({}, TrialReport(LAB_FAILED, "ip fails"))

    (tmp_path / "firmware").touch()
    monkeypatch.setitem(runner.FIRMWARE, "lx106", tmp_path / "firmware")
    with pytest.raises(LabError, match="ip fails"):
        runner.run(Trial("none", {}, 1, effective(MQTT, "none")), Unready(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def qemu_of(folder: Path, known: set[int]) -> int | None:
    """The number of a QEMU process, none of `known`, that works below `folder`."""
    for place in Path("/proc").iterdir():
        try:
            command = (place / "cmdline").read_bytes().split(b"\0")
            where = (place / "cwd").readlink()
        except OSError:
            continue
        ours = machine.QEMU.encode() in command[0] and where.is_relative_to(folder)
        if ours and int(place.name) not in known:
            return int(place.name)
    return None


def shoot(folder: Path, number: int, times: int) -> threading.Thread:
    """Send a signal to the first machines that run below `folder`, soon after their start."""

    def act() -> None:
        shot: set[int] = set()
        deadline = time.monotonic() + 60
        while len(shot) < times and time.monotonic() < deadline:
            if target := qemu_of(folder, shot):
                time.sleep(0.5)
                os.kill(target, number)
                shot.add(target)
            time.sleep(0.01)

    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    return thread


LONG = trial(MQTT | {"duration_s": 30})


@pytest.mark.lab
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_machine_that_is_killed_is_started_again_and_gives_the_same_bundle(
    lab: object,
    number: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    shooter = shoot(tmp_path, number, 1)
    shot = hashes(run(lab, LONG, tmp_path / "shot"))  # type: ignore[arg-type]
    shooter.join()
    assert "once more (2 of 3)" in capsys.readouterr().err
    assert shot == hashes(run(lab, LONG, tmp_path / "whole"))  # type: ignore[arg-type]
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.lab
def test_without_the_library_that_keeps_the_scheduler_out_no_trial_counts(
    lab: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "surroundings", lambda *_: retry.plain_environment())
    with pytest.raises(LabError, match=r"bql_shim\.so is not in effect in QEMU"):
        runner.run(trial(MQTT), lab, tmp_path)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
