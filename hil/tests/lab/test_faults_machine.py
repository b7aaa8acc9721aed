"""Faults as a user states them, in the machine `uml`: what happens, when, and again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hil import cli
from hil.base.paths import ROOT
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


PLAIN = "device: {engine: mqtt-qos1}\nserver: mosquitto\nduration_s: 30\n"


def tried(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, *words: str, head: str = HEAD
) -> Path:
    """Run a trial of this thinwire.yaml, which must go well; return its bundle."""
    if why := kernel.why_not():
        pytest.fail(why)
    (folder / "thinwire.yaml").write_text(head + text, encoding="utf-8")
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


def test_segments_that_are_split_lose_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = tried(tmp_path, capsys, NETEM + "faults: [{kind: split, at_s: 0, for_s: 40}]\n")
    over = faults(bundle)[-1]
    assert over[:2] == ("fault_over", "split") and over[3] > 100
    last = json.loads((bundle / "board.jsonl").read_text("utf-8").splitlines()[-1])
    assert (last["ev"], last["sent"], last["failed"]) == ("end", last["acked"], 0)
    # A PUBLISH of 41 bytes comes from the device in as many segments, each byte once.
    lengths = fields(bundle, "tcp.dstport == 1883 and tcp.len > 0", "tcp.len")
    assert set(lengths) == {"1"} and len(lengths) > 41 * last["sent"]
    assert fields(bundle, "tcp.analysis.retransmission", "frame.number") == []


DEVICE = """\
link: {delay_ms: 5}
parameters: {payload_bytes: 30, interval_ms: 500, keepalive_s: 10, clock_start_ms: 4294967}
faults:
  - {kind: device_reset, at_s: 8}
  - {kind: device_reset, at_s: 20, memory: kept}
"""


def test_the_device_starts_late_is_reset_and_numbers_its_messages_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = DEVICE + "expect: {delivered: '>= 50', acknowledged_lost: 0, out_of_order: 0}\n"
    bundle = tried(tmp_path, capsys, text, head=PLAIN)
    lines = [json.loads(line) for line in (bundle / "board.jsonl").read_text("utf-8").splitlines()]
    boots = [line for line in lines if line["ev"] == "boot"]
    assert [boot["reason"] for boot in boots] == ["power_on", "power_on", "unknown"]
    assert boots[0]["t"] >= 4294967000 and boots[1]["t"] < 1000
    assert [event[1] for event in faults(bundle)] == ["device_reset"] * 4
    before = (bundle / store.SUMS).read_bytes()
    again = tried(tmp_path, capsys, text, head=PLAIN)
    assert (again / store.SUMS).read_bytes() == before
    # The device is stopped before the capture is: a message that arrived is in both.
    assert len(received(bundle)) == published(bundle)


def fields(bundle: Path, wanted: str, field: str) -> list[str]:
    """Return the values of a field in the packets of a capture that a filter of tshark passes."""
    command = [ROOT / "workflow/wireshark/dissect", bundle / "wire.pcapng.gz", "-Y", wanted]
    command += ["-T", "fields", "-e", field, "-E", "aggregator= "]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def published(bundle: Path) -> int:
    """Return the number of PUBLISH in the capture."""
    return fields(bundle, "mqtt", "mqtt.msgtype").count("3")


def received(bundle: Path) -> list[float]:
    """Return when each message reached the server's application, s."""
    lines = map(json.loads, (bundle / "server.jsonl").read_text("utf-8").splitlines())
    return [line["t"] for line in lines if line["ev"] == "received"]


def test_a_slow_server_takes_messages_in_its_turns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = "faults: [{kind: server_slow, at_s: 10, for_s: 8, delay_ms: 2000}]\n"
    bundle = tried(tmp_path, capsys, NETEM + slow)
    begin, over = (event[2] for event in faults(bundle))
    turns = sorted({round(t - begin, 1) for t in received(bundle) if begin < t < over})
    assert turns == [2.0, 4.0, 6.0]


def test_a_server_without_descriptors_takes_no_connection_until_it_has_some(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        f"{NETEM}faults: [{{kind: server_connections, at_s: 10, for_s: 8}},"
        " {kind: tcp_reset, at_s: 12}]\n"
    )
    bundle = tried(tmp_path, capsys, text)
    (begin, over), (reset, _) = (
        [event[2] for event in faults(bundle) if event[1] == kind]
        for kind in ("server_connections", "tcp_reset")
    )
    times = received(bundle)
    assert [t for t in times if begin < t < reset]  # over the connection that it had
    assert not [t for t in times if reset + 0.1 < t < over]
    assert [t for t in times if t > over]


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
