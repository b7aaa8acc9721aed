"""MQTT 5 on the board lx106 before mosquitto: aliases, sessions, closed loops, flow control."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hil.base.paths import ROOT
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.selfcheck import determinism
from hil.tests.support.uml import bundle_of

pytestmark = pytest.mark.lab

QUIET = determinism.TRIAL | {"protocol": "mqtt5", "duration_s": 0, "loss_pct": 0, "jitter_ms": 0}


def run(folder: Path, **parameters: Any) -> Path:
    """Run a trial of MQTT 5; return its bundle."""
    given = effective(QUIET | parameters, "mqtt5")
    return bundle_of(Trial("mqtt5", {"protocol": "mqtt5"}, 1, given), folder)


def events(bundle: Path, kind: str) -> list[dict[str, Any]]:
    lines = (bundle / "board.jsonl").read_text(encoding="utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["ev"] == kind]


def fields(bundle: Path, wanted: str, *names: str) -> list[list[str]]:
    """These fields of the packets that a filter of tshark chooses."""
    command = [ROOT / "workflow/wireshark/dissect", bundle / "wire.pcapng.gz", "-Y", wanted]
    command += ["-T", "fields", *(word for name in names for word in ("-e", name))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_an_alias_takes_the_place_of_the_topic(tmp_path):
    bundle = run(tmp_path, qos=0, topic_alias=True, topic_bytes=40, messages=5)
    sent = fields(bundle, "mqtt.msgtype==3", "mqtt.topic_len", "mqtt.topic")
    topic = f"{'tw/data/':x<40}"
    assert sent == [["40", topic], *[["0", topic]] * 4]


@pytest.mark.parametrize(("expiry_s", "present"), [(60, ["0", "1", "1"]), (1, ["0", "0", "0"])])
def test_a_session_outlives_deep_sleep_until_it_expires(tmp_path, expiry_s, present):
    bundle = run(
        tmp_path,
        **{"qos": 1, "messages": 3, "interval_ms": 4000, "connection_messages": 1},
        **{"deep_sleep": True, "clean_session": False, "session_expiry_s": expiry_s},
    )
    assert [event["seq"] for event in events(bundle, "acked")] == [1, 2, 3]
    found = fields(bundle, "mqtt.msgtype==2", "mqtt.conack.flags.sp")
    assert [{"True": "1", "False": "0"}.get(word, word) for (word,) in found] == present


def test_a_closed_loop_with_a_load_that_speaks_3_1_1(tmp_path):
    bundle = run(tmp_path, qos=0, pace="answer", clients=1, messages=10)
    assert len(events(bundle, "acked")) == 10
    requests = fields(bundle, "mqtt.msgtype==3 && ip.src==10.77.1.1", "mqtt.prop_string")
    assert requests[0][0].split(",")[0] == "tw/data/echo"  # the response topic


def test_the_server_keeps_to_the_devices_receive_maximum(tmp_path):
    bundle = run(
        tmp_path, role="subscribe", qos=2, clients=4, messages=5, interval_ms=100, receive_max=1
    )
    assert len(events(bundle, "received")) == 20
    assert not events(bundle, "disconnected")[:-1]
