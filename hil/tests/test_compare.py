"""Does `thinwire compare` say by its status and its JSON whether two sets of bundles differ?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hil import cli
from hil.bundle import store as bundle
from hil.design import plan
from hil.design.studies import load_study, nonce
from hil.tests.crates import bundles
from hil.tests.frames import frame, udp
from hil.tests.test_pcapng import pcap
from hil.tests.test_verify import LAB


def side(root: Path, payload: int) -> Path:
    """Five runs of a design of `smoke`, with three CoAP messages of `payload` bytes each."""
    trial = load_study("smoke").trials("quick")[1]
    document = trial.document({"board": "lx106", "sha256": "0" * 64}, {})
    mark = nonce(document)
    up = f'{{"t": 1, "nonce": "{mark}", "ev": "up", "ip": "{plan.BOARD_IP}"}}\n'.encode()
    post = bytes.fromhex("40020000b1") + b"t"  # CON POST to /t
    frames = [
        frame(udp(post[:3] + bytes([n]) + post[4:] + b"\xff" + b"x" * payload), n * 10**8)
        for n in (1, 2, 3)
    ]
    raw = {"wire.pcap": pcap(frames), "board.jsonl": up, "server.jsonl": b""}
    for run in range(5):
        files = bundle.contents(document, raw, LAB | {"nonce": mark}, root)
        bundle.store(files, root / f"side{payload}" / f"coap_r{run}")
    return root / f"side{payload}"


def test_longer_messages_are_told_by_status_and_json(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    one, other = side(tmp_path, 30), side(tmp_path, 40)
    assert cli.main(["compare", str(one), str(other), "--json"]) == 1
    told = json.loads(capfd.readouterr().out)
    assert (told["study"], told["settings"]) == ("smoke", [])
    assert "bytes_per_message" in told["differs"]
    assert "packets_per_message" not in told["differs"]


def test_what_cannot_be_compared_is_bad_input(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = bundles(tmp_path)
    assert cli.main(["compare", str(data), str(tmp_path / "absent")]) == 2
    assert "absent: is no folder" in capfd.readouterr().err
    (tmp_path / "empty").mkdir()
    assert cli.main(["compare", str(tmp_path / "empty"), str(data)]) == 2
    said = capfd.readouterr().err
    assert "empty: holds no bundles; give a folder of them" in said and said.count("\n") == 1
