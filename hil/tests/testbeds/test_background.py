"""Do background stations run the requested traffic, and are wrong requests refused?"""

from __future__ import annotations

import random
import re
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.design.background import Source, sources
from hil.rig.request import TrialRequest
from hil.testbeds.hardware import places
from hil.testbeds.hardware.background import load, station
from hil.tests.support.farm.trial import trial


def request(**more: Any) -> TrialRequest:
    parameters = {**trial(5, {}).parameters, "background_direction": "both", **more}
    return TrialRequest({"trial": "t", "parameters": parameters}, "n", "", Path())


def test_the_draws_are_those_of_the_cells_model() -> None:
    model = (ROOT / "sim/air/src/applications.cc").read_text()
    constants = dict(re.findall(r"constexpr double (k\w+) = ([\de.]+);", model))
    assert float(constants["kPageBytes"]) == station.PAGE_BYTES
    assert float(constants["kVideoSegmentSeconds"]) == station.VIDEO_S
    drawn = list(islice(station.pages(1e6, random.Random("7-1")), 20_000))
    assert drawn[:50] == list(islice(station.pages(1e6, random.Random("7-1")), 50))
    assert sum(pause for pause, _ in drawn) / len(drawn) == pytest.approx(0.8, rel=0.03)
    assert sum(size for _, size in drawn) / len(drawn) == pytest.approx(100e3, rel=0.03)
    assert all(size % station.SEGMENT_BYTES == 0 and size for _, size in drawn)


def test_stations_of_a_profile_take_turns_down_first() -> None:
    asked = request(
        background_profile=["bulk", "voice"], background_stations=5, background_load_mbps=10
    )
    assert sources(asked.facts) == [
        Source("bulk", "down", 2.0),
        Source("bulk", "up", 2.0),
        Source("bulk", "down", 2.0),
        Source("voice", "both", 2.0),
        Source("voice", "both", 2.0),
    ]


def test_a_profile_that_stations_do_not_know_is_refused() -> None:
    odd = request(background_profile="saturated", background_stations=1, background_load_mbps=1)
    with pytest.raises(InputError, match="background_profile: saturated is not available"):
        load.wanted(odd)


def test_stations_that_the_board_does_not_hear_are_refused() -> None:
    one = {"background_profile": "voice", "background_stations": 1, "background_load_mbps": 0}
    hidden = request(**one, background_hidden=True)
    with pytest.raises(InputError, match="background_hidden: does not apply to real stations"):
        load.wanted(hidden)


def test_a_queue_of_the_access_point_is_refused() -> None:
    with pytest.raises(InputError, match="ap_queue_frames: does not apply to a real access point"):
        load.wanted(request(ap_queue_frames=25))


def test_more_stations_than_a_board_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    board = places.Place("board1", address="rfc2217://x:1", stations=({"name": "s1"},))
    monkeypatch.setattr(places, "every", lambda: [board])
    with (
        pytest.raises(InputError, match="background_stations: 2 are asked for, but it has 1"),
        places.lease("", 2),
    ):
        pass


def row(profile: str, asked: int, reached: int) -> dict[str, Any]:
    rates = {"asked_bytes": {"down": asked}, "reached_bytes": {"down": reached}}
    return {"station": "s1", "profile": profile, **rates}


@pytest.mark.parametrize(
    ("rows", "begin"),
    [
        ([row("bulk", 1000, 100)], ""),
        ([row("bulk", 1000, 99)], "background weak: 99 of 1000 bytes"),
        ([row("bulk", 0, 0)], "background weak: s1 has carried nothing"),
        ([row("web", 0, 0)], ""),
    ],
)
def test_too_little_is_no_background(rows: list[dict[str, Any]], begin: str) -> None:
    said = load.weak(rows)
    assert said.startswith(begin) and bool(said) == bool(begin)
