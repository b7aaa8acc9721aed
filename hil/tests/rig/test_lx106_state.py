"""Does the board lx106 begin in the state that a trial states, and is it reset from outside?"""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hil.base.errors import TrialError
from hil.base.paths import ROOT
from hil.commands import hunt_coverage
from hil.design.facts import Facts
from hil.rig.boards import emulators, lx106_state

IMAGE = ROOT / "build" / "firmware" / "lx106" / "thinwire.elf"
EMULATOR = ROOT / "build" / "sim" / "lx106" / "lx106"
WORDS = "nonce=n proto=mqtt ip=10.77.1.1 peer=10.77.1.2 stat_ms=100 interval_ms=100"
PATIENCE_S = 30.0

Lines = list[dict[str, Any]]


def facts(**more: Any) -> Facts:
    return Facts(protocol="mqtt", link="netem", duration_s=20, **more)


class Running:
    """The emulator with the project's firmware, without a network."""

    def __init__(self, folder: Path, stated: Facts) -> None:
        for needed in (IMAGE, EMULATOR):
            if not needed.exists():
                pytest.fail(f"{needed} is not built")
        self._far = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._far.bind(str(folder / "far"))
        netdev = (
            f"dgram,local.type=unix,local.path={folder / 'near'},"
            f"remote.type=unix,remote.path={folder / 'far'}"
        )
        argv = [str(EMULATOR), "--netdev", netdev, str(IMAGE), WORDS]
        self._log = folder / "log"
        with self._log.open("wb") as log:
            command = lx106_state.prepared(argv, emulators.DEFAULT, IMAGE, stated)
            command = emulators.covered(command, folder / emulators.COVERAGE)
            self._process = subprocess.Popen(command, stdout=log)

    def lines(self) -> Lines:
        return [json.loads(line) for line in self._log.read_text().split("\n")[:-1]]

    def wait_for(self, wanted: Callable[[Lines], bool]) -> Lines:
        limit = time.monotonic() + PATIENCE_S
        while not wanted(lines := self.lines()):
            assert self._process.poll() is None and time.monotonic() < limit, lines
            time.sleep(0.05)
        return lines

    def signal(self, number: int) -> None:
        os.kill(self._process.pid, number)

    def switch_off(self) -> None:
        self.signal(signal.SIGTERM)
        assert self._process.wait(PATIENCE_S) == 0

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._far.close()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[[Facts], Running]]:
    boards: list[Running] = []

    def start(stated: Facts) -> Running:
        boards.append(Running(tmp_path, stated))
        return boards[-1]

    yield start
    for board in boards:
        board.close()


def events(lines: Lines, name: str) -> Lines:
    return [line for line in lines if line["ev"] == name]


def test_the_clock_starts_where_the_trial_states(started: Callable[[Facts], Running]) -> None:
    board = started(facts(clock_start_ms=4294967))
    lines = board.wait_for(lambda lines: len(events(lines, "stat")) > 2)
    assert 0 <= lines[0]["t"] - 4294967000 < 100_000
    stats = [line["t"] for line in events(lines, "stat")]
    assert stats[-1] > 2**32 > lines[0]["t"]  # microseconds go on beyond 32 bits
    assert [late - early for early, late in itertools.pairwise(stats)] == pytest.approx(
        [100_000] * (len(stats) - 1), abs=2000
    )


def test_the_firmware_has_the_heap_that_the_trial_states(
    started: Callable[[Facts], Running],
) -> None:
    board = started(facts(heap_bytes=4096))
    lines = board.wait_for(lambda lines: len(events(lines, "stat")) > 0)
    heap = lines[0]["heap_bytes"]
    for stat in events(lines, "stat"):
        assert heap - 4096 <= stat["heap_used"] <= heap
        assert stat["heap_free_min"] <= 4096


def test_what_the_firmware_has_executed_is_known_at_the_end(
    started: Callable[[Facts], Running], tmp_path: Path
) -> None:
    board = started(facts())
    board.wait_for(lambda lines: len(events(lines, "stat")) > 0)
    board.switch_off()
    executed = emulators.executed((tmp_path / emulators.COVERAGE).read_bytes()).tolist()
    assert executed == sorted(set(executed))
    covered = {each.function: each for each in hunt_coverage.table(IMAGE, executed)}
    assert covered["board_main"].executed_bytes > 0
    assert covered["tcp_close"].executed_bytes == 0  # nobody has answered
    assert all(each.executed_bytes <= each.bytes for each in covered.values())


@pytest.mark.parametrize(
    ("number", "reason"), [(signal.SIGUSR1, "unknown"), (signal.SIGUSR2, "power_on")]
)
def test_a_reset_keeps_rtc_memory_and_a_loss_of_power_does_not(
    started: Callable[[Facts], Running], number: int, reason: str
) -> None:
    board = started(facts(faults=({"kind": "device_reset", "at_s": 1},), clock_start_ms=5000))
    board.wait_for(lambda lines: len(events(lines, "stat")) > 0)
    board.signal(number)
    lines = board.wait_for(lambda lines: len(events(lines, "boot")) > 1)
    first, second = events(lines, "boot")
    assert (first["reason"], second["reason"]) == ("power_on", reason)
    assert first["t"] >= 5_000_000 > second["t"]  # its clock begins anew


def test_each_start_has_a_seed_of_its_own() -> None:
    reset = {"kind": "device_reset", "at_s": 1}
    argv = ["lx106", "image", "nonce=n seed=7 stat_ms=1"]
    command = lx106_state.prepared(argv, "lx106", IMAGE, facts(faults=(reset, reset)))
    lines = [word for word in command if "seed=" in word]
    assert lines == [
        f"nonce=n seed={seed} stat_ms=1"
        for seed in (7 + 0x9E3779B9, (7 + 2 * 0x9E3779B9) % 2**32, 7)
    ]


def test_a_heap_larger_than_the_images_and_a_foreign_image_are_refused(tmp_path: Path) -> None:
    if not IMAGE.exists():
        pytest.fail(f"{IMAGE} is not built")
    with pytest.raises(TrialError, match=r"the firmware's image leaves \d+ bytes of heap"):
        lx106_state.prepared(["lx106"], "lx106", IMAGE, facts(heap_bytes=1_000_000))
    other = tmp_path / "other.elf"
    other.write_bytes(b"\x7fELF" + bytes(60))
    with pytest.raises(TrialError, match="0 symbols board_main where one is needed"):
        lx106_state.prepared(["lx106"], "lx106", other, facts(heap_bytes=9000))
    with pytest.raises(TrialError, match=re.escape("need the emulator lx106")):
        lx106_state.prepared(["qemu"], "qemu", IMAGE, facts(heap_bytes=9000))
