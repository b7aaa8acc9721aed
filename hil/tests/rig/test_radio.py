"""Does a trial set the radio of a board, and does its bundle record what the radio reported?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.design import radio
from hil.design.studies import Study
from hil.design.trials import Trial
from hil.rig.boards.lx106 import Lx106
from hil.rig.faults import name_of
from hil.rig.request import TrialReport, TrialRequest
from hil.testbeds.hardware.radio import note
from hil.tests.support.farm.radio import TAKEN, Radio

ALL = {
    "link": ["air"], "modem_sleep": [True], "sleep_type": ["light"], "phy_mode": ["g"],
    "tx_power_dbm": [10.25], "tx_rate_mbps": [24],
}  # fmt: skip


def trial(board: str = "esp8266", **factors: list[object]) -> Trial:
    block = {"mode": ["mqtt-qos1"], "duration_s": [1], **factors}
    profile = {"repetitions": 1, "blocks": [block]}
    constants = {"payload_bytes": 30, "interval_ms": 100}
    document = {"study": "s", "board": board, "constants": constants, "profiles": {"q": profile}}
    (made,) = Study(Path("s.yaml"), document).trials(
        "q", "hardware" if board == "esp8266" else "virtual"
    )
    return made


def request(made: Trial) -> TrialRequest:
    document = made.document({"board": made.board, "sha256": "0" * 64}, {})
    return TrialRequest(document, "n", Lx106.config(document, "n"), Path())


def reported(tmp_path: Path, asked: TrialRequest, sleepy: bool = False) -> TrialReport:
    """What the report of a trial says after a radio without silicon has said how it is set."""
    log = tmp_path / "board.jsonl"
    log.write_bytes(Radio(asked.config_line, sleepy).line(b'{"t":1,"nonce":"n","ev":"up"}') + b"\n")
    report = TrialReport()
    note(report, asked, log)
    return report


def test_what_is_asked_is_set_and_told(tmp_path: Path) -> None:
    asked = request(trial(**ALL))
    words = " sleep_type=light phy_mode=g tx_power_qdbm=41 tx_rate_mbps=24"
    assert set(words.split()) <= set(asked.config_line.split())
    report = reported(tmp_path, asked)
    assert report.outcome == "ok"
    assert report.board["radio"] == {
        "phy": "g", "channel": 6, "rssi_dbm": -40, "sleep": "light", "tx_rate_mbps": 24,
        "tx_power_set_dbm": 10.25,
    }  # fmt: skip


def test_without_a_wish_the_sdk_chooses(tmp_path: Path) -> None:
    asked = request(trial(link=["netem"]))
    assert not {word.partition("=")[0] for word in asked.config_line.split()} & TAKEN.keys()
    said = reported(tmp_path, asked).board["radio"]
    assert (said["tx_rate_mbps"], said["tx_power_set_dbm"]) == ("auto", "default")


def test_a_radio_that_was_set_otherwise_fails_the_trial(tmp_path: Path) -> None:
    report = reported(tmp_path, request(trial(link=["air"], modem_sleep=[False])), sleepy=True)
    assert (report.outcome, name_of(report.reason)) == ("failed", "configuration refused")
    assert report.reason.endswith("the radio's sleep is modem, not none")
    silent = TrialReport()
    (tmp_path / "empty").touch()
    note(silent, request(trial(**ALL)), tmp_path / "empty")
    assert silent.outcome == "failed"


@pytest.mark.parametrize("name", radio.NAMES)
def test_virtual_boards_refuse(name: str) -> None:
    asked = {key: ALL[key] for key in ("link", "modem_sleep", name)}
    with pytest.raises(InputError, match=f"{name}: does not apply to the board lx106"):
        trial("lx106", **asked)


@pytest.mark.parametrize(
    ("name", "value"), [("tx_rate_mbps", 11), ("tx_power_dbm", 10.1), ("tx_power_dbm", 21)]
)
def test_what_the_sdk_cannot_set_is_refused(name: str, value: object) -> None:
    with pytest.raises(InputError, match=name):
        trial(link=["air"], **{name: [value]})


def test_the_firmware_takes_these_words() -> None:
    """... and reports these members."""
    source = (ROOT / "firmware/boards/esp8266/src/radio.cpp").read_text()
    assert all(f'"{key}="' in source for key in TAKEN)
    line = json.loads(Radio("").line(b'{"t":1,"nonce":"n","ev":"up"}'))
    assert all(f'\\"{key}\\":' in source for key in line.keys() - {"t", "nonce", "ev"})
