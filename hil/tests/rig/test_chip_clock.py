"""Does the board run at the chip's speed, on a clock that does not drift?"""

from __future__ import annotations

import itertools
import os
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.rig.boards import emulators
from hil.selfcheck import clock_drift
from hil.system import preloads, tools
from hil.testbeds import runner
from hil.tests.support.peers import lines
from hil.tests.support.uml import bundle_of

_BOARD = (
    "-M lx60-nommu -cpu lx106 -m 4 -nodefaults -display none -monitor none -semihosting "
    "-net nic,model=open_eth"
)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten minutes of messages in the machine `uml`."""
    wanted = clock_drift.CALM | {"interval_ms": 100, "duration_s": 600}
    trial = Trial("chipclock", {}, 1, effective(wanted, "chipclock"))
    return bundle_of(trial, tmp_path_factory.mktemp("chipclock"))


@pytest.fixture(scope="module")
def sent(bundle: Path) -> dict[int, int]:
    """Message -> the board's time in us at which it was sent."""
    return {
        line["seq"]: line["t"] for line in lines(bundle / "board.jsonl") if line["ev"] == "sent"
    }


@pytest.mark.lab
def test_the_boards_clock_is_the_laboratorys(bundle: Path) -> None:
    """Over a day: `python -m hil.selfcheck.clock_drift`."""
    apart_us = [apart for _, apart in clock_drift.distances(bundle)]
    assert len(apart_us) == 6000
    assert max(apart_us) - min(apart_us) < 100


@pytest.mark.lab
def test_no_alarm_is_missed(sent: dict[int, int]) -> None:
    """An alarm that is set too late would fire after the counter has wrapped: 107 s."""
    steps = [later - earlier for earlier, later in itertools.pairwise(sent.values())]
    assert all(abs(step - 100_000) < 500 for step in steps)


@pytest.mark.lab
def test_code_that_runs_first_is_not_slower(bundle: Path, sent: dict[int, int]) -> None:
    trips = [
        line["t"] - sent[line["seq"]]
        for line in lines(bundle / "board.jsonl")
        if line["ev"] == "acked"
    ]
    assert trips[0] <= statistics.median(trips) + 20
    assert min(trips) >= 4000  # the link's


def board(options: str, folder: Path) -> tuple[int, list[dict[str, Any]], str]:
    """The firmware in the emulator of this host, until its network is up: status, log, errors."""
    log, errors = folder / "log", folder / "errors"
    log.touch()
    clock = preloads.library(emulators.CHIP_CLOCK)
    words = [
        str(tools.program("qemu-system-xtensa")),
        *_BOARD.split(),
        *("-kernel", str(runner.FIRMWARE["lx106"])),
        *("-append", "nonce=00c0ffee id=b1 ip=10.77.1.1"),
        *("-plugin", f"file={clock}{options}"),
    ]
    with (
        log.open("wb") as out,
        errors.open("wb") as said,
        subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=said,
            cwd=clock.parent,  # LD_PRELOAD splits at blanks
            env=os.environ | {"LD_PRELOAD": f"./{clock.name}"},
        ) as emulator,
    ):
        deadline = time.monotonic() + 30
        while emulator.poll() is None and b'"up"' not in log.read_bytes():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        status = emulator.poll() or 0
        emulator.kill()
    return status, lines(log), errors.read_text()


def test_instructions_take_their_time(tmp_path: Path) -> None:
    """From boot to network the instructions are the same: twice the time per instruction doubles
    the time.
    """
    took = []
    for picoseconds in (10_000_000, 20_000_000):
        _, (boot, up), _ = board(f",picoseconds={picoseconds}", tmp_path)
        assert (boot["ev"], up["ev"]) == ("boot", "up")
        took.append(up["t"] - boot["t"])
    assert took[1] / took[0] == pytest.approx(2, rel=0.01)
    assert took[0] > 100_000


@pytest.mark.parametrize("options", ["", ",picoseconds=fast", ",seconds=1"])
def test_without_its_speed_no_board_starts(options: str, tmp_path: Path) -> None:
    status, log, _ = board(options, tmp_path)
    assert status != 0 and log == []
