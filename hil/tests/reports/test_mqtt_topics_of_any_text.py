"""Are topics whole that are not ASCII, or hold control characters?

A topic is any UTF-8 text but U+0000 (MQTT 3.1.1, 1.5.3), in every locale and format: mqtt_client
#81 and #201. Control characters are printed as in C.
"""

import csv
import io
import os
import subprocess
import sys

import pytest

from hil.bundle import pcapng
from hil.design import addressing
from hil.peers.mqtt import codec
from hil.tests.reports import mqtt
from hil.tests.reports.wire import Wire

TOPICS = {
    "ümläut/🌡": "ümläut/🌡",
    "świeca": "świeca",
    "温度": "温度",
    "sep\x1fend": r"sep\x1fend",
    "tab\there": r"tab\there",
    'quo"te, comma': 'quo"te, comma',
    r"back\slash": r"back\slash",
}


@pytest.fixture(scope="module")
def capture(tmp_path_factory):
    wire = Wire()
    session = mqtt.connect(wire)
    for _ in range(2):
        session.up(b"".join(codec.publish(codec.Message(t.encode(), b"hello")) for t in TOPICS))
        session.acknowledge(False)
    session.close()
    file = tmp_path_factory.mktemp("ünïcode 🌡") / "mëasured.pcapng"
    file.write_bytes(pcapng.encode(wire.frames))
    return file


def test_every_topic_is_a_group_of_its_own(analyze, capture):
    run = analyze(capture, "--by", "topic")
    assert {entry["group"] for entry in run.json["by_topic"]} == set(TOPICS.values())
    assert all(run.metric("messages", topic) == 2 for topic in TOPICS.values())
    assert run.header("file") == str(capture)
    assert "ümläut/🌡" in run.text


@pytest.mark.parametrize("topic", ["ümläut/🌡", "+/🌡", "sep\x1fend", "tab\there"])
def test_a_topic_is_given_as_it_is(analyze, capture, topic):
    assert analyze(capture, "--topic", topic).metric("messages") == 2


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
def test_csv_is_utf8_in_every_locale(capture, locale, tmp_path):
    samples = tmp_path / "prøben.csv"
    run = subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "hil.cli",
                "analyze",
                str(capture),
                "--device",
                addressing.BOARD_IP,
            ),
            *("--by", "topic", "--format", "csv", "--samples", str(samples)),
        ],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "LC_ALL": locale},
        check=True,
    )
    rows = list(csv.DictReader(io.StringIO(run.stdout)))
    assert {row["group"] for row in rows} - {""} == set(TOPICS.values())
    assert {row["topic"] for row in csv.DictReader(samples.open(encoding="utf-8"))} == set(
        TOPICS.values()
    )
