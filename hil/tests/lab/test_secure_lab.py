"""TLS on the LX106 board in the laboratory: it repeats, resumes, and its captures can be read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.bundle import store
from hil.design import addressing
from hil.tests.support.uml import MQTT, results, sums

pytestmark = pytest.mark.lab

MESSAGES = 2
SECURE = MQTT | {
    "security": "chain",
    "resume": True,
    "connection_messages": 1,
    "qos": 1,
    "interval_ms": 1000,
    "messages": MESSAGES,
    "duration_s": 0,
}

BEHIND = {
    key: value for key, value in SECURE.items() if key not in {"protocol", "qos", "keepalive_s"}
} | {"security": "psk", "loss_pct": 0, "jitter_ms": 0}


def publishes(capture: Path) -> int:
    """How many PUBLISH tshark finds."""
    dissect = ROOT / "workflow/wireshark/dissect"
    words = ["-o", "tcp.reassemble_out_of_order:TRUE"]  # the link puts segments out of order
    words += ["-Y", "mqtt.msgtype==3", "-T", "fields", "-e", "mqtt.msgtype"]
    run = subprocess.run([dissect, capture, *words], capture_output=True, text=True, check=True)
    return len(run.stdout.split())


def test_a_trial_over_tls(uml_image, tmp_path):
    found = results(uml_image, tmp_path / "one", SECURE)
    assert sums(results(uml_image, tmp_path / "two", SECURE)) == sums(found)

    log = [json.loads(line) for line in found["board.jsonl"].splitlines()]
    secured = [event for event in log if event["ev"] == "secured"]
    assert [event["resumed"] for event in secured] == [0, 1]
    assert secured[1]["us"] < secured[0]["us"] / 20
    acked = [event for event in log if event["ev"] == "acked"]
    assert len(acked) == MESSAGES

    files = store.contents({}, found, {}, tmp_path)
    (tmp_path / "wire.pcapng.gz").write_bytes(files["wire.pcapng.gz"])
    assert publishes(tmp_path / "wire.pcapng.gz") == MESSAGES
    without = {name: data for name, data in found.items() if name != "board.jsonl"}
    files = store.contents({}, without, {}, tmp_path)
    (tmp_path / "wire.pcapng.gz").write_bytes(files["wire.pcapng.gz"])
    assert publishes(tmp_path / "wire.pcapng.gz") == 0


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_a_device_that_sleeps_deeply_resumes_from_rtc_memory(uml_image, tmp_path, version):
    known = SECURE | {"tls_version": version, "deep_sleep": True, "messages": 3, "loss_pct": 0}
    if version == "1.3":
        known["psk_dhe"] = False  # a key exchange would take a minute here
    found = results(uml_image, tmp_path / "one", known)
    log = [json.loads(line) for line in found["board.jsonl"].splitlines()]
    boots = [event["reason"] for event in log if event["ev"] == "boot"]
    assert boots == ["power_on", "deep_sleep", "deep_sleep"]
    memory = [event["session"] for event in log if event["ev"] == "memory"]
    assert [word for word in memory if word != "kept"] == ["none", "recalled", "recalled"]
    assert [event["resumed"] for event in log if event["ev"] == "secured"] == [0, 1, 1]
    assert [event["seq"] for event in log if event["ev"] == "acked"] == [1, 2, 3]
    times = [event["t"] for event in log]
    assert times == sorted(times)  # one clock over all starts


def measured(captures: list[Path]) -> list[dict[str, float]]:
    """The metrics of captures, as the command line measures them."""
    command = [
        sys.executable,
        "-m",
        "hil.cli",
        "analyze",
        "--json",
        "--device",
        addressing.BOARD_IP,
    ]
    run = subprocess.run([*command, *captures], capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)["captures"]
    return [{row["metric"]: row["value"] for row in one["metrics"]} for one in found]


def test_trials_behind_a_terminator_are_read_by_their_keys_to_the_last_byte(uml_image, tmp_path):
    captures = []
    new = {"tls_version": "1.3", "psk_dhe": False}  # a key exchange would take a minute here
    record = {"http-each": 29, "mqttsn-qos1": 29, "websocket-ping": 29}  # header, nonce, tag
    record["coap-con"] = 31  # with connection ID and inner type
    record["mqtt-qos1"] = 22  # header, inner type, tag
    more = {"mqtt-qos1": new, "coap-con": {"cid": True}}
    for mode in record:
        known = BEHIND | {"mode": mode} | more.get(mode, {})
        if mode == "http-each":
            known.pop("connection_messages")
        found = results(uml_image, tmp_path / mode, known)
        log = [json.loads(line) for line in found["board.jsonl"].splitlines()]
        assert [event["resumed"] for event in log if event["ev"] == "secured"] == [0, 1]
        assert found["server.jsonl"].count(b'"received"') == MESSAGES
        captures.append(tmp_path / f"{mode}.pcapng.gz")
        captures[-1].write_bytes(store.contents({}, found, {}, tmp_path)["wire.pcapng.gz"])
    for least, metrics in zip(record.values(), measured(captures), strict=True):
        assert metrics["messages"] == MESSAGES
        accounts = [value for name, value in metrics.items() if name.startswith("ledger_")]
        assert sum(accounts) == metrics["captured_bytes"]
        assert metrics["ledger_payload_bytes"] == MESSAGES * SECURE["payload_bytes"]
        assert {"connection_bytes", "connection_resumed_bytes"} <= metrics.keys()
        assert metrics["ledger_record_bytes"] >= MESSAGES * least
