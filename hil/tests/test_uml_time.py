"""Time in the machine `uml`: the board's clock, round trips, what is told meanwhile."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hil.machine import image
from hil.machine.uml import run
from hil.machine.uml.probe import Probe
from hil.tests.uml import MQTT, order, results

pytestmark = pytest.mark.lab


def test_the_boards_clock_does_not_drift(uml_image: image.Image, tmp_path: Path) -> None:
    """A minute of messages: the board sends on the grid of the laboratory's clock."""
    calm = MQTT | {"jitter_ms": 0, "loss_pct": 0, "duration_s": 60}
    found = results(uml_image, tmp_path / "trial", calm)
    received = [json.loads(line) for line in found["server.jsonl"].splitlines()]
    sent = [json.loads(line) for line in found["board.jsonl"].splitlines()]
    clocks = {line["seq"]: line["t"] / 1e6 for line in sent if line["ev"] == "sent"}
    apart = [line["t"] - clocks[line["seq"]] for line in received if line["ev"] == "received"]
    assert len(apart) == 600
    assert max(apart) - min(apart) < 100e-6


def test_no_round_trip_is_shorter_than_the_link(uml_image: image.Image, tmp_path: Path) -> None:
    calm = MQTT | {"jitter_ms": 0, "loss_pct": 0, "duration_s": 5}
    lines = results(uml_image, tmp_path / "trial", calm)["board.jsonl"].splitlines()
    said = [json.loads(line) for line in lines]
    began = {line["seq"]: line["t"] for line in said if line["ev"] == "sent"}
    trips = [line["t"] - began[line["seq"]] for line in said if line["ev"] == "acked"]
    assert len(trips) == 50 and min(trips) >= 4000


def test_progress_is_virtual_time(
    uml_image: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_LOOK_S", 0.05)
    told: list[int] = []
    run.run(uml_image, order(MQTT | {"duration_s": 20}), tmp_path, 600, told.append)
    assert told == sorted(told) and 10 <= told[-1] < 60


def test_a_process_that_is_gone_has_no_time() -> None:
    assert Probe(2**22, {"time_travel_time": 0}).virtual_ns() is None
