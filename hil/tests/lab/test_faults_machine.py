"""Faults as a user states them, in the machine `uml`: what happens, when, and again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hil import cli
from hil.bundle import store
from hil.machine.uml import kernel

pytestmark = pytest.mark.lab

HEAD = """\
device: {engine: mqtt-qos1}
server: mosquitto
parameters: {payload_bytes: 30, interval_ms: 500, keepalive_s: 10}
duration_s: 30
expect: {delivered: '>= 1', acknowledged_lost: 0, back_after_fault_s: <= 10}
"""
NETEM, CELL = "link: {delay_ms: 5}\n", "cell: {wifi_standard: n, modem_sleep: true}\n"


def tried(folder: Path, capsys: pytest.CaptureFixture[str], text: str, *words: str) -> Path:
    """Run a trial of this thinwire.yaml, which must go well; return its bundle."""
    if why := kernel.why_not():
        pytest.fail(why)
    (folder / "thinwire.yaml").write_text(HEAD + text, encoding="utf-8")
    cli.main(["try", str(folder), "--json", *words])
    found = capsys.readouterr()
    document: dict[str, Any] = json.loads(found.out)
    (trial,) = document["trials"]
    assert trial["outcome"] == "ok", found.err
    return Path(trial["bundle"])


def faults(bundle: Path) -> list[tuple[str, str, float, int]]:
    """Return each event of a fault: its name, the kind, the time (s) and the frames affected."""
    lines = map(json.loads, (bundle / "server.jsonl").read_text("utf-8").splitlines())
    return [
        (line["ev"], line["kind"], line["t"], line.get("frames", 0))
        for line in lines
        if line["ev"] in {"fault", "fault_over"}
    ]


@pytest.mark.parametrize("link", [NETEM, CELL], ids=["netem", "cell"])
def test_faults_happen_at_their_times_in_the_log_and_repeat(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], link: str
) -> None:
    text = link + (
        "faults:\n"
        "  - {kind: loss, at: {packet: PUBLISH, number: 3, from: device}}\n"
        "  - {kind: tcp_reset, at_s: 8}\n"
        "  - {kind: half_open, at_s: 15, for_s: 4, from: server}\n"
    )
    bundle = tried(tmp_path, capsys, text)
    events = faults(bundle)
    assert [event[:2] for event in events] == [
        (name, kind)
        for kind in ("loss", "tcp_reset", "half_open")
        for name in ("fault", "fault_over")
    ]
    loss, _, reset, _, gone, back = events
    assert gone[2] - reset[2] == pytest.approx(7, abs=1e-3)
    assert back[2] - gone[2] == pytest.approx(4, abs=1e-3)
    assert loss[2] < reset[2] and events[1][3] == 1 and back[3] > 0
    stated = json.loads((bundle / "trial.json").read_text("utf-8"))["parameters"]["faults"]
    assert [fault["kind"] for fault in stated] == ["loss", "tcp_reset", "half_open"]
    before = (bundle / store.SUMS).read_bytes()
    again = tried(tmp_path, capsys, text)
    assert (again / store.SUMS).read_bytes() == before


@pytest.mark.parametrize("kind", ["server_kill", "server_restart", "server_pause"])
def test_the_server_goes_away_at_a_packet_and_comes_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    begin = "at: {packet: PUBLISH, number: 20, from: device, after_s: 0}"
    bundle = tried(tmp_path, capsys, f"{NETEM}faults: [{{kind: {kind}, {begin}, for_s: 3}}]\n")
    gone, back = faults(bundle)
    lines = map(json.loads, (bundle / "server.jsonl").read_text("utf-8").splitlines())
    received = [line["t"] for line in lines if line["ev"] == "received"]
    assert received[0] < gone[2] and received[-1] > back[2]
    assert not [t for t in received if gone[2] + 0.1 < t < back[2]]


def test_a_server_that_dies_twice_at_once_fails_the_trial(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if why := kernel.why_not():
        pytest.fail(why)
    kill = "{kind: server_kill, at_s: 5, for_s: 5}, {kind: server_pause, at_s: 7, for_s: 1}"
    (tmp_path / "thinwire.yaml").write_text(f"{HEAD}faults: [{kill}]\n", encoding="utf-8")
    assert cli.main(["try", str(tmp_path), "--json"]) == 1
    (trial,) = json.loads(capsys.readouterr().out)["trials"]
    assert trial["outcome"] == "failed"
