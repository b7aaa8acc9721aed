"""Every fault of a board and its surroundings, on a farm of four boards: its name, its owner, and
what it leaves behind. labgrid, esptool, servers and captures are the real ones
(hil/tests/support/farm).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections import ChainMap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.cli import main
from hil.rig.faults import FAULTS
from hil.system import netns
from hil.testbeds import runner
from hil.testbeds.hardware import last_run, places
from hil.tests.support.farm.board import PASSWORD, SSID
from hil.tests.support.farm.farm import Farm, farm
from hil.tests.support.farm.harness import (
    INJECTED_FAULTS,
    LONG,
    SHORT,
    bundle,
    holder,
    in_trial,
    lab_of,
    pids,
    result_of,
    start,
    verdict_of,
)

BOARDS = 4


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    with farm(tmp_path_factory.mktemp("farm"), BOARDS) as made:
        yield made


def test_every_fault_has_its_name_and_its_owner(boards: Farm) -> None:
    def one(name: str) -> dict[str, dict[str, str]]:
        found = {}
        for fault in list(INJECTED_FAULTS)[boards.names.index(name) :: BOARDS]:
            boards.fault(name, fault)
            found[fault] = result_of(start(boards, name, SHORT if fault == "" else 30))
        boards.fault(name, "")
        return found

    with ThreadPoolExecutor(BOARDS) as pool:
        results = dict(ChainMap(*pool.map(one, boards.names)))
    seen = {fault: (each["outcome"], each["fault"]) for fault, each in results.items()}
    assert seen == INJECTED_FAULTS, results
    for each in results.values():
        assert each["owner"] == (FAULTS[each["fault"]][0] if each["fault"] else "")
    assert [place.name for place in places.every() if place.holder] == []


def test_a_trial_keeps_its_clock_its_board_and_no_password(boards: Farm) -> None:
    """The board's image is written by esptool, through a line that an exporter exports."""
    boards.kill("board1")
    boards.start_board("board1")  # with an empty flash
    boards.wait(lambda: boards.said("board1").count("ready") == 2, "no board")
    assert result_of(start(boards, "board1", 130)) == {
        "outcome": "ok", "fault": "", "owner": "", "reason": "", "repeated": "",
    }  # fmt: skip
    lab = lab_of(boards, "board1")
    assert lab["board"]["flashed"] is True
    assert lab["board"]["chip"] == boards.chip("board1")
    assert lab["board"]["clock"]["drift_ppm"] == pytest.approx(2000, abs=800)
    assert lab["link"]["access_point"] == {"channel": "6", "hw_mode": "g"}
    for file in bundle(boards, "board1").iterdir():
        assert PASSWORD.encode() not in file.read_bytes()
        assert SSID.encode() not in file.read_bytes()
    assert main(["trial", "verify", str(bundle(boards, "board1"))]) == 0


def test_a_radio_is_set_and_its_bundle_says_what_it_said(boards: Farm) -> None:
    asked = {"modem_sleep": True, "sleep_type": "light", "tx_power_dbm": 10, "tx_rate_mbps": 6}
    assert result_of(start(boards, "board2", background=json.dumps(asked)))["outcome"] == "ok"
    radio = lab_of(boards, "board2")["board"]["radio"]
    assert (radio["sleep"], radio["tx_rate_mbps"], radio["tx_power_set_dbm"]) == ("light", 6, 10)


@pytest.mark.parametrize(
    ("busy", "tries", "outcome"),
    [("0\n", 1, "ok"), ("0\n900\n0\n0\n0\n", 2, "ok"), ("900\n", 3, "invalid")],
)
def test_a_trial_whose_channel_others_had_is_begun_anew(
    boards: Farm, tmp_path: Path, busy: str, tries: int, outcome: str
) -> None:
    """`busy`: ms in each second that others had; a trial looks four times."""
    shutil.copy(ROOT / "hil" / "tests" / "support" / "farm" / "iw.sh", tmp_path / "iw")
    (tmp_path / "busy").write_text(busy)
    settings = boards.folder / "cells" / boards.cell("board3") / "hostapd.conf"
    was = settings.read_text()
    settings.write_text(was + "interface=wlan0\n")
    path = f"{tmp_path}:{os.environ['PATH']}"
    try:
        found = result_of(start(boards, "board3", PATH=path, THINWIRE_BUSY=str(tmp_path / "busy")))
    finally:
        settings.write_text(was)
    assert found["outcome"] == outcome
    lab = lab_of(boards, "board3")
    assert lab["board"]["tries"] == tries
    assert lab.get("fault", {}).get("name", "") == ("" if outcome == "ok" else "foreign traffic")


def test_a_board_that_hung_comes_back_by_its_power(
    boards: Farm, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only if its place has a plug; otherwise the fault is `silent`."""
    boards.fault("board1", "hung")
    boards.match("board1", "NetworkSerialPort")
    try:
        found = result_of(start(boards, "board1"))
        boards.fault("board1", "unplugged once")
        repeated = result_of(start(boards, "board1"))
        boards.fault("board1", "hung")
        capsys.readouterr()
        main(["boards", "--json"])
        rows = {row["board"]: row["power"] for row in json.loads(capsys.readouterr().out)}
    finally:
        boards.match("board1", "*")
    assert (found["outcome"], found["fault"]) == ("none", "silent")
    assert (repeated["outcome"], repeated["repeated"]) == ("ok", "unplugged")
    assert (rows["board1"], rows["board2"]) == ("-", "NetworkPowerPort")
    assert result_of(start(boards, "board1"))["repeated"] == "silent"
    assert lab_of(boards, "board1")["board"]["power_cycles"] == 1
    assert result_of(start(boards, "board1"))["outcome"] == "ok"
    assert lab_of(boards, "board1")["board"]["power_cycles"] == 0


def test_leases_die_with_their_holders(boards: Farm, capsys: pytest.CaptureFixture[str]) -> None:
    """All four at once."""
    processes = []
    for name in boards.names:
        processes.append(start(boards, name, 10 * LONG))
        in_trial(boards, name)
        assert holder(name)
    begun = time.monotonic()
    for process in processes:
        process.kill()
    free: dict[str, float] = {}
    while len(free) < BOARDS and time.monotonic() - begun < 5:
        now = {place.name for place in places.every() if not place.holder}
        free |= {name: time.monotonic() - begun for name in now - free.keys()}
        time.sleep(0.1)
    for process in processes:
        process.communicate()
    with capsys.disabled():
        print("\nfree after kill -9, s:", *(f"{each:.2f}" for each in sorted(free.values())))
    assert sorted(free) == boards.names
    capsys.readouterr()
    assert main(["boards"]) == 1
    line = next(row for row in capsys.readouterr().out.splitlines() if row.startswith("board2"))
    assert "power cut" in line and "free" in line
    assert result_of(start(boards, "board2"))["outcome"] == "ok"
    assert last_run.read("board2")["outcome"] == "ok"


def test_a_lease_whose_guard_died_too_is_taken_back(boards: Farm) -> None:
    process = start(boards, "board2", LONG)
    in_trial(boards, "board2")
    guards = pids("-P", str(process.pid), "-f", "hil.testbeds.hardware.lease_guard")
    assert guards
    for pid in [*guards, process.pid]:
        os.kill(pid, signal.SIGKILL)
    process.communicate()
    assert places.is_dead(holder("board2"))
    assert result_of(start(boards, "board2"))["outcome"] == "ok"


def test_who_comes_second_waits_for_the_board(boards: Farm) -> None:
    first = start(boards, "board2", LONG)
    in_trial(boards, "board2")
    with pytest.raises(InputError, match="is not free"), places.lease("board2", wait_s=0):
        pass
    second = start(boards, "board2")
    assert second.stderr is not None
    assert second.stderr.readline() == "waiting for a board (board2)\n"
    had = holder("board2")
    first.terminate()
    first.communicate()
    boards.wait(lambda: holder("board2") != had, "the lease stays", 5)
    assert result_of(second)["outcome"] == "ok"


def test_a_lease_that_an_operator_took_away_spoils_the_trial(boards: Farm) -> None:
    process = start(boards, "board3", 30)
    in_trial(boards, "board3")
    places.give_back("board3", holder("board3"))
    assert places._acquire("board3")
    try:
        assert verdict_of(process) == ("invalid", "lease lost", "host")
    finally:
        places.give_back("board3", places.me())


def test_a_server_that_dies_is_the_tests(boards: Farm) -> None:
    process = start(boards, "board3", LONG)
    in_trial(boards, "board3")
    subprocess.run(["pkill", "-SEGV", "-P", str(process.pid), "-x", "mosquitto"], check=True)
    assert verdict_of(process)[1:] == ("server failed", "test")


def test_a_full_disk_is_the_hosts(boards: Farm) -> None:
    out = boards.folder / "bundles" / "board3"
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", out], check=True)
    try:
        assert verdict_of(start(boards, "board3")) == ("none", "disk full", "host")
    finally:
        subprocess.run(["umount", out], check=True)
    assert not holder("board3")


def test_a_port_that_was_renumbered_is_found_again(boards: Farm) -> None:
    boards.kill("board4")
    boards.ports["board4"] += 1
    boards.start_board("board4")
    boards.kill("exporter", signal.SIGTERM)
    boards.start_exporter()
    address = f":{boards.ports['board4']}"
    boards.wait(lambda: places.every()[3].address.endswith(address), "the old port stays")
    assert result_of(start(boards, "board4"))["outcome"] == "ok"


def test_without_its_exporter_a_board_has_no_line(
    boards: Farm, capsys: pytest.CaptureFixture[str]
) -> None:
    boards.kill("exporter")
    boards.wait(lambda: not any(place.address for place in places.every()), "lines stay")
    assert verdict_of(start(boards, "board4")) == ("none", "exporter gone", "host")
    capsys.readouterr()
    assert main(["boards"]) == 1
    assert "no line" in capsys.readouterr().out
    boards.start_exporter()
    boards.wait(lambda: all(place.address for place in places.every()), "no lines")


def test_a_coordinator_that_is_started_anew_costs_no_trial(boards: Farm) -> None:
    process = start(boards, "board4", LONG)
    in_trial(boards, "board4")
    time.sleep(1)  # labgrid has written its places
    boards.kill("coordinator")
    assert main(["boards"]) == 3
    without = verdict_of(start(boards, "board1"))
    boards.start_coordinator()
    assert without[1:] == ("coordinator gone", "host")
    boards.wait(lambda: len(places.every()) == BOARDS, "places are forgotten")
    assert result_of(process)["outcome"] == "ok"
    boards.wait(lambda: not holder("board4"), "the lease stays", 5)
    boards.kill("exporter")
    boards.start_exporter()
    boards.wait(lambda: all(place.address for place in places.every()), "no lines")


def test_a_board_is_checked(boards: Farm, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(runner.FIRMWARE, "esp8266", boards.image)
        patch.setattr("hil.rig.rig.LATE_LIMIT_S", 5.0)
        patch.setattr("hil.rig.links.wifi.CELLS", boards.folder / "cells")
        assert main(["boards", "check", "board1", "--seconds", "2"]) == 0
    said = capsys.readouterr().out
    assert "board1: flashed, booted, joined the network, 100 of 100 messages acknowledged" in said


def test_nothing_is_left(boards: Farm) -> None:
    """No lease, process, namespace or interface but the farm's own."""
    assert [place.name for place in places.every() if place.holder] == []
    assert pids("-f", "hil.tests.support.farm.trial|hil.testbeds.hardware.lease_guard") == []
    assert boards.left() == []


def test_what_is_left_is_found(boards: Farm) -> None:
    cell = boards.cell("board1")
    netns.run(["ip", "link", "add", "left0", "type", "bridge"], namespace=cell)
    netns.run(["ip", "netns", "add", f"{cell}-s1"])
    process = subprocess.Popen(["ip", "netns", "exec", cell, "cat"], stdin=subprocess.PIPE)
    try:
        boards.wait(lambda: f"cat in {cell}" in boards.left(), "no process is found", 5)
        found = boards.left()
    finally:
        process.communicate()
        netns.run(["ip", "link", "delete", "left0"], namespace=cell)
        netns.run(["ip", "netns", "delete", f"{cell}-s1"])
    assert found == [f"{cell}-s1", f"cat in {cell}", f"left0 in {cell}"]
    assert boards.left() == []
