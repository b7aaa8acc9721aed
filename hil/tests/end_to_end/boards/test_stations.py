"""Background from stations: real sshd, iperf3 and browser, a board without silicon (root)."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil.bundle import pcapng, verify
from hil.testbeds.hardware import places
from hil.tests.support.farm.farm import Farm, farm
from hil.tests.support.farm.harness import LONG, bundle, in_trial, lab_of, result_of, start
from hil.tests.support.farm.station import FakeStation

ASKED = json.dumps({
    "background_profile": ["bulk", "web", "video", "voice"],
    "background_stations": 4,
    "background_load_mbps": 8,
})  # fmt: skip
BULK = json.dumps({"background_profile": "bulk", "background_load_mbps": 1})


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    with farm(tmp_path_factory.mktemp("farm"), 1) as made:
        yield made


@pytest.fixture(scope="module")
def stations(boards: Farm) -> Iterator[list[FakeStation]]:
    cell = boards.cell("board1")
    made = [FakeStation(cell, n, boards.folder / f"s{n}") for n in range(1, 5)]
    try:
        for station in made:
            station.start(boards.folder / "cells")
        boards.stations["board1"] = {f"s{n}": each.resource for n, each in enumerate(made, 1)}
        boards.kill("exporter")
        boards.start_exporter()
        boards.wait(lambda: len(places.every()[0].stations) == 4, "no stations")
        yield made
    finally:
        for station in made:
            station.close()


def test_four_profiles_beside_a_trial(boards: Farm, stations: list[FakeStation]) -> None:
    found = result_of(start(boards, "board1", 60, ASKED))
    assert found["outcome"] == "ok", found
    counted = verify.check(bundle(boards, "board1"))
    assert counted.sent == counted.acknowledged == counted.received == 60
    rows = lab_of(boards, "board1")["link"]["background"]
    assert [row["profile"] for row in rows] == ["bulk", "web", "video", "voice"]
    for row in rows:
        assert all(row["reached_bytes"].values()), row
    print(json.dumps(rows))
    bulk, _, _, voice = rows
    assert bulk["reached_bytes"]["down"] == pytest.approx(2e6 / 8 * bulk["seconds"], rel=0.2)
    assert voice["reached_bytes"]["up"] == pytest.approx(68800 / 8 * voice["seconds"], rel=0.2)
    for frame in pcapng.read(bundle(boards, "board1") / "wire.pcapng.gz"):
        assert not any(bytes([10, 77, 2, n]) in frame.data[14:42] for n in range(1, 5))
    assert [each.programs() for each in stations] == [[]] * 4


def test_nothing_is_left_of_a_killed_trial(boards: Farm, stations: list[FakeStation]) -> None:
    process = start(boards, "board1", LONG, BULK)
    in_trial(boards, "board1")
    assert "iperf3" in stations[0].programs()
    process.kill()
    process.communicate()
    boards.wait(lambda: stations[0].programs() == [], "programs stay", 15)
    left = ["pgrep", "-f", "hil.testbeds.hardware.background.main"]
    boards.wait(lambda: subprocess.run(left, check=False).returncode == 1, "it stays", 5)


def test_iperf3_that_dies_is_told(boards: Farm, stations: list[FakeStation]) -> None:
    process = start(boards, "board1", LONG, BULK)
    in_trial(boards, "board1")
    pids = [p for p in stations[0].pids() if Path(f"/proc/{p}/comm").read_text() == "iperf3\n"]
    for pid in pids:
        os.kill(pid, 9)
    found = result_of(process)
    assert (found["fault"], found["owner"]) == ("background failed", "host"), found


def test_a_station_that_goes_is_told(boards: Farm, stations: list[FakeStation]) -> None:
    process = start(boards, "board1", LONG, BULK)
    in_trial(boards, "board1")
    stations[0].die()
    found = result_of(process)
    assert (found["outcome"], found["fault"]) == ("failed", "station gone"), found
    begun = time.monotonic()
    found = result_of(start(boards, "board1", 5, BULK))
    assert (found["outcome"], found["fault"], found["owner"]) == ("none", "station gone", "host")
    print(f"{time.monotonic() - begun:.1f} s until it was called gone")
