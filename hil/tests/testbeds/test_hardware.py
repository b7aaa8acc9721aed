"""Trials on a farm of two boards: labgrid's coordinator and exporter, servers and captures are the
real ones, the silicon is not (hil/tests/support/farm). All faults: `make test-boards`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hil.base.documents import read_json
from hil.base.errors import InputError
from hil.bundle import verify
from hil.cli import main
from hil.design import parameters
from hil.rig.boards import esptool
from hil.rig.boards.serialclock import Clock
from hil.rig.faults import FAULTS, name_of
from hil.rig.links.wifi import public
from hil.rig.request import TrialRequest
from hil.testbeds.hardware import capabilities, places
from hil.tests.support.farm.board import CONSOLE_BAUD, PASSWORD, ROM_BAUD
from hil.tests.support.farm.farm import Farm, farm
from hil.tests.support.farm.harness import (
    INJECTED_FAULTS,
    LONG,
    bundle,
    holder,
    in_trial,
    result_of,
    start,
)
from hil.tests.support.farm.prints import ROM_GREETING
from hil.tests.support.farm.trial import trial
from hil.tests.support.farm.uart import received

# Faults that are detected quickly.
QUICK = ["", "unplugged", "another board", "noise", "brown-out", "wrong network"]


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    with farm(tmp_path_factory.mktemp("farm"), 2) as made:
        yield made


@pytest.mark.root
def test_a_fault_has_its_name_and_its_owner(boards: Farm) -> None:
    def some(name: str) -> dict[str, dict[str, str]]:
        found = {}
        for fault in QUICK[boards.names.index(name) :: 2]:
            boards.fault(name, fault)
            found[fault] = result_of(start(boards, name, 20))
        boards.fault(name, "")
        return found

    with ThreadPoolExecutor(2) as pool:
        found = {key: each for some in pool.map(some, boards.names) for key, each in some.items()}
    assert {key: (each["outcome"], each["fault"]) for key, each in found.items()} == {
        fault: INJECTED_FAULTS[fault] for fault in QUICK
    }
    for each in found.values():
        assert each["owner"] == (FAULTS[each["fault"]][0] if each["fault"] else "")


@pytest.mark.root
def test_a_trouble_before_a_repetition_is_told(boards: Farm) -> None:
    boards.fault("board1", "unplugged once")
    found = result_of(start(boards, "board1"))
    assert (found["outcome"], found["repeated"]) == ("ok", "unplugged")
    assert result_of(start(boards, "board1"))["repeated"] == ""


def written(boards: Farm, name: str) -> int:
    """How often its boot loader has written to its flash."""
    return boards.said(name).count("written")


@pytest.mark.root
def test_an_image_that_crashes_is_replaced(boards: Farm) -> None:
    """It prints the reason, and its boot ROM prints at a different rate: noise on the console."""
    before = written(boards, "board1")
    boards.fault("board1", "crashing image")
    assert result_of(start(boards, "board1"))["outcome"] == "ok"
    assert read_json(bundle(boards, "board1") / "lab.json", "")["board"]["flashed"] is True
    assert written(boards, "board1") == before + 1


@pytest.mark.root
def test_an_erased_board_is_written(boards: Farm) -> None:
    """Its boot ROM alone greets, and no line of that is heard at the console's rate."""
    boards.kill("board2")
    boards.start_board("board2")
    boards.wait(lambda: boards.said("board2").count("ready") == 2, "no board")
    assert result_of(start(boards, "board2"))["outcome"] == "ok"


@pytest.mark.root
def test_another_board_is_not_written(boards: Farm) -> None:
    """... where it says nothing, either: esptool reads its address first."""
    before = written(boards, "board1")
    boards.fault("board1", "mute stranger")
    found = result_of(start(boards, "board1"))
    boards.fault("board1", "")
    assert (found["outcome"], found["fault"]) == INJECTED_FAULTS["mute stranger"]
    assert written(boards, "board1") == before


@pytest.mark.root
def test_a_lease_dies_with_its_holder(boards: Farm, capsys: pytest.CaptureFixture[str]) -> None:
    process = start(boards, "board1", LONG)
    in_trial(boards, "board1")
    assert holder("board1")
    capsys.readouterr()
    process.kill()
    process.communicate()
    boards.wait(lambda: not holder("board1"), "the lease stays", 5)
    assert main(["boards"]) == 1
    line = next(row for row in capsys.readouterr().out.splitlines() if row.startswith("board1"))
    assert "power cut" in line
    assert "free" in line


@pytest.mark.root
def test_a_bundle_of_a_board_holds_and_has_no_password(boards: Farm) -> None:
    assert result_of(start(boards, "board1"))["outcome"] == "ok"
    found = verify.check(bundle(boards, "board1"))
    assert found.sent == found.acknowledged == found.received == 5
    for file in bundle(boards, "board1").iterdir():
        assert PASSWORD.encode() not in file.read_bytes()
    assert [place.name for place in places.every() if place.holder] == []


def asks_for(**more: object) -> TrialRequest:
    return TrialRequest(
        {"trial": "t", "parameters": {**trial(5).parameters, **more}}, "n", "", Path()
    )


@pytest.mark.parametrize(
    "more",
    [
        {"loss_pct": 1},
        {"snr_db": 0},
        {"server_link": "station"},
        {"wifi_rate_mbps": 1},
        {"footprint_s": 60},
    ],
)
def test_what_the_air_does_not_give_is_refused(more: dict[str, object]) -> None:
    words = f"{next(iter(more))}: cannot be set on physical boards"
    with pytest.raises(InputError, match=words):
        capabilities.check("t", asks_for(**more).facts)


def test_each_link_parameter_is_physical_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    known = parameters.table()
    assert {name for name in known if name in capabilities.PHYSICAL} == capabilities.PHYSICAL
    added = {**known, "new_pct": {"applies": {"link": ["netem"]}}}
    monkeypatch.setattr(capabilities, "table", lambda: added)
    assert "new_pct" in capabilities.laboratory_only()


def test_a_line_is_noise_at_another_rate() -> None:
    greeting = ROM_GREETING % 2
    assert received(greeting, ROM_BAUD, ROM_BAUD) == greeting
    assert (
        received(greeting, ROM_BAUD, round(ROM_BAUD * 1.03)) == greeting
    )  # within half a bit in ten
    noise = received(greeting, ROM_BAUD, CONSOLE_BAUD)
    assert len(noise) > len(greeting)
    assert not set(noise) & set(greeting)


def test_esptool_is_found_wherever_programs_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under Nix it is no module of this Python, and does not lie beside it."""
    program = tmp_path / "esptool"
    program.write_text("#!/bin/sh\necho MAC: 5c:cf:7f:00:00:01\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert esptool.chip("nowhere") == "5c:cf:7f:00:00:01"


def test_another_access_point_is_refused() -> None:
    found = {"hw_mode": "g", "beacon_int": "200"}
    capabilities.check_access_point(asks_for(beacon_interval_tu=200), found)
    with pytest.raises(InputError, match=r"wifi_standard: n is asked for, but .* has g"):
        capabilities.check_access_point(asks_for(wifi_standard="n"), found)
    joins = {"join": "cached", "link": "air"}
    capabilities.check_access_point(asks_for(**joins, wifi_security="wpa2-psk"), found)
    with pytest.raises(InputError, match=r"wifi_security: open is asked for, but .* wpa2-psk"):
        capabilities.check_access_point(asks_for(**joins), found)


def test_reasons_have_names() -> None:
    assert name_of("the capture lost 7 frames") == "capture dropped"
    assert name_of("foreign traffic: 31% of the channel's time") == "foreign traffic"
    assert name_of("mosquitto died with status -11: ") == "server failed"


def test_a_bundle_tells_no_password() -> None:
    assert public({"channel": "6", "wpa_passphrase": "x", "ssid": "y"}) == {"channel": "6"}


def test_a_clock_is_compared_by_its_quickest_lines() -> None:
    clock = Clock()
    for number in range(100):  # 50 ppm fast; a line takes up to 90 ms, and at times nothing
        board_s = number * (1 + 50e-6)
        clock.note(1000.0 + number + 0.01 * (number % 10), board_s)
    summary = clock.summary()
    assert summary["drift_ppm"] == 50.0
    assert summary["offset_s"] == pytest.approx(1000, abs=0.002)
