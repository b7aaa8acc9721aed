"""Deep sleep on a farm of two boards: the firmware in the emulator sleeps and is reset, and what it
keeps is kept by the code of the ESP8266's firmware (hil/tests/support/farm/sleep.py)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.rig.boards.serialclock import Starts
from hil.testbeds.hardware import wiring
from hil.tests.support.farm.farm import Farm, farm
from hil.tests.support.farm.harness import bundle, lab_of, result_of, start

ELF = ROOT / "build" / "firmware" / "lx106" / "thinwire-dhcp.elf"
SLEEPER = {
    "deep_sleep": True,
    "connection_messages": 1,
    "interval_ms": 3000,
    "join": "cached",
    "wifi_security": "wpa2-psk",
}
MESSAGES = 3
FAULTS = {
    "no wire": ("failed", "no wake-up"),
    "record damaged": ("failed", "run lost"),
    "power lost asleep": ("failed", "brown-out"),
}


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    with farm(tmp_path_factory.mktemp("farm"), 2, elf=ELF) as made:
        yield made


def slept(boards: Farm, name: str) -> dict[str, str]:
    return result_of(start(boards, name, MESSAGES, json.dumps(SLEEPER)))


@pytest.mark.root
def test_a_board_sleeps_and_wakes_and_sends(boards: Farm) -> None:
    assert slept(boards, "board1")["outcome"] == "ok"
    lines = (bundle(boards, "board1") / "board.jsonl").read_text().splitlines()
    log = [json.loads(line) for line in lines]
    assert [each["reason"] for each in log if each["ev"] == "boot"][1:] == ["deep_sleep"] * 2
    assert [each["scan"] for each in log if each["ev"] == "joining"] == [True, False, False]
    assert [each["seq"] for each in log if each["ev"] == "acked"] == [1, 2, 3]
    wakings = lab_of(boards, "board1")["board"]["wakings"]
    assert len(wakings) == 2
    for each in wakings:
        assert each["host_s"] == pytest.approx(each["stated_s"], abs=1.5)


@pytest.mark.root
def test_a_board_that_does_not_go_on_has_a_fault(boards: Farm) -> None:
    def some(name: str) -> dict[str, tuple[str, str]]:
        found = {}
        for fault in list(FAULTS)[boards.names.index(name) :: 2]:
            boards.fault(name, fault)
            each = slept(boards, name)
            found[fault] = each["outcome"], each["fault"]
        boards.fault(name, "")
        return found

    with ThreadPoolExecutor(2) as pool:
        found = {key: each for some in pool.map(some, boards.names) for key, each in some.items()}
    assert found == FAULTS


@pytest.mark.root
def test_a_board_without_the_wire_is_refused(boards: Farm) -> None:
    boards.wire("board2", wakes=False)
    process = start(boards, "board2", MESSAGES, json.dumps(SLEEPER))
    _, errors = process.communicate(timeout=300)
    boards.wire("board2", wakes=True)
    assert process.returncode != 0
    assert "place board2: deep_sleep: has no tag wakes=gpio16-rst" in errors


def test_one_of_the_boards_with_the_wire_is_enough() -> None:
    wiring.check([("a", {}), ("b", wiring.TAGS)], wiring.TAGS)
    wiring.check([("a", {})], {})
    with pytest.raises(InputError, match=r"place a: deep_sleep: has no tag wakes=gpio16-rst"):
        wiring.check([("a", {"wakes": "no"})], wiring.TAGS)


def entry(name: str, t_s: float, **more: object) -> dict[str, object]:
    return {"t": round(t_s * 1e6), "ev": name, **more}


def test_each_waking_has_a_clock_of_its_own() -> None:
    starts = Starts()
    starts.note(entry("boot", 0.0), 100.0)
    starts.note(entry("sleeping", 1.0, us=9_000_000), 101.0)
    assert starts.asleep
    assert starts.overslept(101 + 9 * 1.25 + 4.9) == ""
    assert "GPIO16" in starts.overslept(101 + 9 * 1.25 + 5.1)
    for number in range(4):  # its oscillator is slow: the sleep took half a second more
        starts.note(entry("boot" if number == 0 else "acked", 10 + number), 110.5 + number)
    assert not starts.asleep
    assert starts.overslept(1000.0) == ""
    assert starts.summary() == {
        "clock": {"lines": 2},
        "wakings": [{"lines": 4, "offset_s": 100.5, "stated_s": 9.0, "host_s": 9.5}],
    }


def test_a_board_that_never_slept_has_no_wakings() -> None:
    starts = Starts()
    starts.note(entry("boot", 0.0), 100.0)
    assert starts.summary() == {"clock": {"lines": 1}}
