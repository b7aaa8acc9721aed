"""Do the commands that make or describe something print it for programs, too (--json)?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hil import cli
from hil.commands import cloud, lab
from hil.peers.cloud.server import Settings


def _out(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(words) == 0
    return capsys.readouterr().out


def test_a_new_client_names_what_was_made_and_what_comes_next(capsys, tmp_path):
    known = json.loads(_out(capsys, "new", "try", str(tmp_path / "mine"), "--json"))
    assert str(tmp_path / "mine" / "thinwire.yaml") in known["made"]
    assert all(Path(path).is_file() for path in known["made"])
    assert known["next"][-1] == f"thinwire try {tmp_path / 'mine'}"


def test_a_token_comes_with_its_device(capsys):
    known = json.loads(_out(capsys, "cloud", "token", "--json"))
    assert known["device"] == "b1"
    assert known["token"].count(".") == 2  # a JSON Web Token


def test_the_cloud_says_the_same_in_words_and_as_json():
    known = cloud._facts(Settings(), Path("cloud"))
    assert known["mqtt"] == f"mqtts://localhost:{Settings().mqtt_port}"
    text = cloud._instructions(known)
    assert f"MQTT over TLS   localhost:{Settings().mqtt_port}    topic {known['topic']}\n" in text
    for key in ("client_id", "https", "trust", "log"):
        assert known[key] in text


def test_an_image_is_described_in_plain_words():
    text = lab.description(
        {
            "digest": "ce6f526e84bc6a3a",
            "files": 705,
            "kernel": "6.1.0-56",
            "qemu": "QEMU emulator version 7.2",
            "machine": {"machine": "uml", "kernel": "6.18.15", "image": "8edeee0911c57a12"},
            "programs": {"bin/tc": "88", "bin/busybox": "3d"},
        }
    )
    assert text.splitlines()[:2] == [
        "image     ce6f526e84bc6a3a, 705 files",
        "machine   uml, Linux 6.18.15",
    ]
    assert "8edeee0911c57a12" in text
    assert text.endswith("  bin/busybox  3d\n  bin/tc       88")
