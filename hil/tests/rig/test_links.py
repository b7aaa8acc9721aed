"""Do a trial's parameters produce the link that they describe?"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.design import addressing, samples
from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.rig.links import air, netem

COMMON = {"protocol": "mqtt", "payload_bytes": 30, "interval_ms": 100, "messages": 1}


def over(link: str, parameters: dict[str, Any]) -> Facts:
    return Facts.of(effective(COMMON | {"link": link} | parameters, "test"))


AIR = ROOT / "build" / "sim" / "air" / "air"


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({}, "limit 1000"),
        ({"loss_pct": 1}, "limit 1000 loss 1%"),
        ({"delay_ms": 2.5}, "limit 1000 delay 2500us"),
        (
            {"delay_ms": 2, "jitter_ms": 0.5, "loss_pct": 0.25},
            "limit 1000 delay 2000us 500us distribution normal loss 0.25%",
        ),
    ],
)
def test_netem_words(parameters: dict[str, Any], text: str) -> None:
    assert netem.discipline(over("netem", parameters)) == text


def test_the_board_sleeps_only_if_asked(tmp_path: Path) -> None:
    board = air.configuration(over("air", {}), 7, tmp_path)["stations"][0]
    assert board["modem_sleep"] == {"enabled": False}
    given = {"modem_sleep": True, "sleep_idle_ms": 145, "sleep_wake_pct": 25}
    board = air.configuration(over("air", given), 7, tmp_path)["stations"][0]
    assert board["modem_sleep"] == {
        "enabled": True,
        "fetch_delay_ms": 0,
        "idle_ms": 145,
        "idle_wake_share": 0.25,
    }


def test_frames_arrive_late_only_if_asked(tmp_path: Path) -> None:
    assert "arrival_delay_ms" not in air.configuration(over("air", {}), 7, tmp_path)["stations"][0]
    late = over("air", {"arrival_delay": "kuleuven2019", "server_link": "station"})
    board, server = air.configuration(late, 7, tmp_path)["stations"]
    assert board["arrival_delay_ms"] == list(
        samples.sample_ms(samples.ARRIVAL_DELAYS, "kuleuven2019")
    )
    assert "arrival_delay_ms" not in server


def test_without_background_every_frame_is_captured(tmp_path: Path) -> None:
    parameters = over("air", {"background_profile": "none", "background_stations": 5})
    found = air.configuration(parameters, 7, tmp_path)
    assert "background" not in found and "frames" not in found["capture"]


def test_the_servers_stand_behind_the_access_point_or_on_the_air(tmp_path: Path) -> None:
    """On the air they are a station with the servers' address, and there is no wired side."""
    wired = air.configuration(over("air", {}), 7, tmp_path)
    assert wired["wired"] == {"tap": addressing.WIRED} and len(wired["stations"]) == 1
    found = air.configuration(over("air", {"server_link": "station"}), 7, tmp_path)
    assert "wired" not in found
    assert [station["mac"] for station in found["stations"]] == [
        addressing.BOARD_MAC,
        addressing.SERVER_MAC,
    ]
    assert found["stations"][1]["port"] == {"tap": addressing.WIRED}


def test_the_board_joins_only_if_asked(tmp_path: Path) -> None:
    absent = air.configuration(over("air", {}), 7, tmp_path)
    assert "join" not in absent["stations"][0] and "security" not in absent["cell"]
    for given, scan in (
        ({"join": "cached"}, "cached"),
        ({"join": "scan"}, "active"),
        ({"join": "scan", "scan_type": "passive"}, "passive"),
    ):
        found = air.configuration(over("air", given), 7, tmp_path)
        assert found["stations"][0]["join"] == {"scan": scan, "begins": "port"}
    wpa2 = over("air", {"join": "cached", "wifi_security": "wpa2-psk"})
    found = air.configuration(wpa2, 7, tmp_path)
    assert found["cell"]["security"] == "wpa2-psk"


def test_a_board_that_joins_has_no_faults_at_its_port() -> None:
    fault = {"kind": "loss", "at_s": 1}
    with pytest.raises(InputError, match="join: does not go with faults"):
        over("air", {"join": "scan", "faults": [fault]})
    with pytest.raises(InputError, match="join: does not go with nat_timeout_s"):
        over("air", {"join": "scan", "nat_timeout_s": 30})


def test_a_nat_stands_between_the_cell_and_the_board(tmp_path: Path) -> None:
    found = air.configuration(over("air", {"nat_timeout_s": 30}), 7, tmp_path)
    assert found["stations"][0]["port"]["unix"]["peer"].endswith("wire-air.sock")


def test_keys_need_a_handshake() -> None:
    with pytest.raises(InputError, match="wifi_security: needs a board that joins"):
        over("air", {"wifi_security": "wpa2-psk"})


CELLS = [
    {},
    {"join": "cached", "wifi_security": "wpa2-psk", "modem_sleep": True},
    {"join": "scan", "scan_type": "passive", "outage_every_s": 10, "outage_s": 1, "messages": 300},
    {"server_link": "station", "wifi_standard": "n", "background_profile": "bulk"},
    {"wifi_standard": "b", "wifi_rate_mbps": 11, "snr_db": 20, "modem_sleep": True},
    {"arrival_delay": "kuleuven2019", "modem_sleep": True},
    {"modem_sleep": True, "sleep_idle_ms": 145, "sleep_wake_pct": 20},
    {"wifi_standard": "g", "wifi_rate_mbps": 54, "frame_error_rate": 0.1, "dtim_period": 3},
    {"wifi_standard": "n", "background_profile": "bulk", "background_stations": 5},
    {"background_profile": "video", "background_stations": 2, "background_load_mbps": 5},
    {
        "background_profile": ["web", "video", "bulk"],
        "background_stations": 200,
        "background_load_mbps": 1000,
        "background_direction": "down",
    },
    {"background_profile": "voice", "background_hidden": True, "server_link": "station"},
    {"background_profile": "bulk", "ap_queue": "shared", "ap_queue_frames": 25},
]


@pytest.mark.parametrize("parameters", CELLS)
def test_the_cell_accepts_the_description(parameters: dict[str, Any], tmp_path: Path) -> None:
    if not AIR.exists():
        pytest.fail("build/sim/air/air is not built")
    file = tmp_path / "cell.json"
    file.write_text(json.dumps(air.configuration(over("air", parameters), 7, tmp_path)))
    run = subprocess.run([AIR, "--check", file], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_a_mixture_deals_stations_and_load_to_its_profiles(tmp_path: Path) -> None:
    mixture = {
        "background_profile": ["web", "video", "bulk"],
        "background_stations": 8,
        "background_load_mbps": 16,
        "background_direction": "down",
    }
    found = air.configuration(over("air", mixture), 7, tmp_path)
    assert found["background"] == [
        {"profile": "web", "direction": "down", "stations": 3, "load_mbps": 6},
        {"profile": "video", "direction": "down", "stations": 3, "load_mbps": 6},
        {"profile": "bulk", "direction": "down", "stations": 2, "load_mbps": 4},
    ]


def test_the_board_and_the_others_are_hidden_from_each_other_only_if_asked(tmp_path: Path) -> None:
    voice = {"background_profile": "voice", "server_link": "station"}
    found = air.configuration(over("air", voice), 7, tmp_path)
    assert "hidden_group" not in json.dumps(found)
    found = air.configuration(over("air", voice | {"background_hidden": True}), 7, tmp_path)
    board, server = found["stations"]
    (others,) = found["background"]
    assert 0 < board["hidden_group"] != others["hidden_group"] > 0
    assert "hidden_group" not in server  # who hears all


def test_the_access_point_has_the_queue_of_the_trial(tmp_path: Path) -> None:
    cell = air.configuration(over("air", {}), 7, tmp_path)["cell"]
    assert (cell["queue"], cell["queue_frames"]) == ("per_station", 100)
    shared = over("air", {"ap_queue": "shared", "ap_queue_frames": 25})
    cell = air.configuration(shared, 7, tmp_path)["cell"]
    assert (cell["queue"], cell["queue_frames"]) == ("shared", 25)


@pytest.mark.parametrize(
    ("parameters", "key"),
    [
        ({"background_profile": "web"}, "background_load_mbps"),
        (
            {"background_profile": ["bulk", "video"], "background_stations": 2},
            "background_load_mbps",
        ),
        (
            {"background_profile": ["bulk", "voice"], "background_stations": 1},
            "background_stations",
        ),
        ({"background_profile": ["none", "bulk"]}, "background_profile"),
    ],
)
def test_a_background_without_sense_is_refused_by_key(parameters: dict[str, Any], key: str) -> None:
    with pytest.raises(InputError, match=key):
        over("air", parameters)
