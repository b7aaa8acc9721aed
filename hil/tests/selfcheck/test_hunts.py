"""Does hil.selfcheck.hunts search every engine, and go on after a stop?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hil.design import protocols, tryfile
from hil.selfcheck import hunts

DOCUMENT = {
    "schedules": 8,
    "schedules_per_h": 480.0,
    "features": 3,
    "instructions": 0,
    "unsettled": 1,
    "finds": [{"expected": "delivered: 100 %", "faults": [{"kind": "loss"}, {"kind": "delay"}]}],
    "unsteady": [],
    "lab_failures": [],
}


@pytest.mark.parametrize("name", protocols.modes())
def test_each_mode_is_a_client_that_can_be_tried(name: str, tmp_path: Path) -> None:
    tried = tryfile.read(hunts.client(name, tmp_path))
    assert tried.expectations
    assert (name in hunts.RELIABLE) == (tried.expectations[0].name == "delivered")


@pytest.mark.parametrize("name", hunts.RELIABLE)
def test_what_must_arrive_outlives_a_connection(name: str, tmp_path: Path) -> None:
    parameters = tryfile.read(hunts.client(name, tmp_path)).parameters
    assert not parameters.get("clean_session", False)
    assert parameters.get("confirmable", True)
    assert parameters.get("rederive", True)


def test_a_night_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []

    def search(words: list[str]) -> int:
        given.append(words[words.index("--for") + 1])
        ran_s = 20.0 if len(given) == 1 else 60.0
        print(json.dumps(DOCUMENT | {"ran_s": ran_s}))
        return 1

    monkeypatch.setattr(hunts.cli, "main", search)
    rows = [hunts.row("mqtt-qos1", 1, tmp_path) for _ in range(3)]
    assert given == ["60s", "40s"]
    named = dict(zip(hunts.HEAD, rows[2], strict=True))
    assert (named["client"], named["finds"], named["minutes"]) == ("mqtt-qos1", "1", "1.0")
    assert named["what was found"] == "delivered: 100 % by loss and delay"


def test_a_client_that_was_half_made_is_made(tmp_path: Path) -> None:
    (tmp_path / "mqtt-qos1").mkdir()
    assert tryfile.read(hunts.client("mqtt-qos1", tmp_path)).expectations


def test_a_failed_search_is_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hunts.cli, "main", lambda _: 3)
    with pytest.raises(hunts.LabError, match="mqtt-qos1: exit status 3"):
        hunts.row("mqtt-qos1", 1, tmp_path)


def test_a_stop_ends_the_night(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    searched: list[str] = []

    def stopped(words: list[str]) -> int:
        searched.append(words[1])
        return 130

    monkeypatch.setattr(hunts.cli, "main", stopped)
    names = ["mqtt-qos1", "coap-con"]
    monkeypatch.setattr("sys.argv", ["hunts", *names, "--out", str(tmp_path)])
    assert hunts.main() == 130
    assert len(searched) == 1
