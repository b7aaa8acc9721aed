"""The laptop in the lab: Locust against the cloud, on virtual time, over both links."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.bundle import pcapng, store, verify
from hil.design.parameters import effective
from hil.design.studies import load_study
from hil.design.trials import Trial
from hil.rig.boards import laptop
from hil.system import openssl, tools
from hil.tests.support.peers import lines
from hil.tests.support.uml import bundle_of

MQTT = {
    "protocol": "mqtt",
    "qos": 1,
    "peer": "cloud",
    "payload_bytes": 33,
    "interval_ms": 1000,
    "messages": 4,
    "session_messages": 2,
    "link": "netem",
    "delay_ms": 20,
}
HTTP = {key: value for key, value in MQTT.items() if key not in {"qos", "delay_ms"}} | {
    "protocol": "http",
    "link": "air",
    "fields": 3,
    "tls": "1.2",
    "tls_resume": True,
    "chain_bytes": 4000,
}


def _run(parameters: dict[str, object], folder: Path) -> Path:
    trial = Trial("cloud", {}, 1, effective(parameters, "cloud"), board="laptop")
    made = bundle_of(trial, folder)
    found = verify.check(made)
    assert (found.sent, found.acknowledged, found.received) == (4, 4, 4)
    return made


@pytest.mark.lab
def test_mqtt_repeats_byte_by_byte_and_shows_nothing(tmp_path: Path) -> None:
    one, two = (_run(MQTT, tmp_path / name) for name in ("one", "two"))
    sums = [(folder / store.SUMS).read_bytes() for folder in (one, two)]
    assert sums[0] == sums[1]
    wire = b"".join(frame.data for frame in pcapng.read(one / "wire.pcapng.gz"))
    assert b"/devices/b1/events" not in wire
    assert b"b1:1" not in wire
    arrived = [line for line in lines(one / "server.jsonl") if line["ev"] == "received"]
    assert {(line["topic"], line["bytes"]) for line in arrived} == {("/devices/b1/events", 34)}
    took = [line["us"] for line in lines(one / "board.jsonl") if line["ev"] == "session"]
    assert all(round(int(us) / 40_000, 1) == 5.0 for us in took)  # type: ignore[call-overload]


@pytest.mark.lab
def test_http_resumes_over_wifi(tmp_path: Path) -> None:
    folder = _run(HTTP, tmp_path)
    arrived = [line for line in lines(folder / "server.jsonl") if line["ev"] == "received"]
    assert {line["bytes"] for line in arrived} >= {100}
    ends = [line for line in lines(folder / "board.jsonl") if line.get("phase") == "disconnect"]
    assert [line["resumed"] for line in ends] == [True, True]


_HELLO = """
import ssl
context, sent = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), ssl.MemoryBIO()
context.check_hostname = False
try:
    context.wrap_bio(ssl.MemoryBIO(), sent).do_handshake()
except ssl.SSLWantReadError:
    print(sent.read().hex())
"""


def test_the_laptop_offers_the_key_exchanges_of_the_studys_year(tmp_path: Path) -> None:
    """Whatever OpenSSL is here: x25519, P-256, x448, P-521, P-384 (RFC 8446, section 4.2.7)."""
    environment = openssl.variables(tmp_path / "openssl.cnf", laptop.KEY_EXCHANGES)
    hello = subprocess.check_output([*tools.python(), "-c", _HELLO], env=environment, text=True)
    assert "000a000c000a" + "001d0017001e00190018" in hello


def test_the_laptop_is_told_what_the_trial_says() -> None:
    document = {"parameters": effective(HTTP, "cloud")}
    words = json.loads(laptop.Laptop.config(document, "00c0ffee"))
    options = dict(zip(words[::2], words[1::2], strict=False))
    assert options["--host"] == "https://cloud.thinwire.test:8443"
    assert (options["--tls"], options["--fields"], options["--field-bytes"]) == ("1.2", "3", "33")
    assert "--resume" in words
    assert "--await-connack" not in words


@pytest.mark.parametrize(("board", "peer"), [("laptop", "default"), ("lx106", "cloud")])
def test_only_the_laptop_speaks_to_the_cloud(board: str, peer: str, tmp_path: Path) -> None:
    text = f"""
study: wrong
title: t
question: q
board: {board}
constants: {{protocol: mqtt, qos: 1, peer: {peer}, link: netem, payload_bytes: 33, messages: 3}}
profiles:
  quick: {{repetitions: 1, blocks: [{{interval_ms: [100]}}]}}
  full: {{repetitions: 1, blocks: [{{interval_ms: [100]}}]}}
"""
    file = tmp_path / "wrong.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=f"'{peer}' is no peer of the board {board}"):
        load_study(file).trials("quick")


def test_the_study_aamec_expands_in_both_profiles() -> None:
    for profile in ("quick", "full"):
        assert {trial.board for trial in load_study("aamec").trials(profile)} == {"laptop"}


def test_sessions_of_a_mixed_set_are_drawn_by_locust() -> None:
    given = {key: value for key, value in MQTT.items() if key != "session_messages"}
    parameters = effective({**given, "session_mix": [1, 10]}, "cloud")
    assert "session_messages" not in parameters
    words = json.loads(laptop.Laptop.config({"parameters": parameters}, "n"))
    assert words[words.index("--session-mix") + 1] == "1,10"
    assert "--session-mix" not in json.loads(
        laptop.Laptop.config({"parameters": effective(MQTT, "cloud")}, "n")
    )
