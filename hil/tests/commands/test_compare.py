"""Does `thinwire compare` say by its status and its JSON whether two sets of bundles, or recorded
captures, differ?"""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from hil import cli
from hil.bundle import store as bundle
from hil.design import addressing
from hil.design.studies import load_study
from hil.design.trials import nonce
from hil.tests.support.answers import make_model
from hil.tests.support.bundles import LAB
from hil.tests.support.crates import bundles
from hil.tests.support.frames import frame, pcap, udp


def side(root: Path, payload: int) -> Path:
    """Five runs of a design of `smoke`, with three CoAP messages of `payload` bytes each."""
    trial = load_study("smoke").trials("quick")[1]
    document = trial.document({"board": "lx106", "sha256": "0" * 64}, {})
    mark = nonce(document)
    up = f'{{"t": 1, "nonce": "{mark}", "ev": "up", "ip": "{addressing.BOARD_IP}"}}\n'.encode()
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
    table = json.loads(capfd.readouterr().out)
    assert (table["study"], table["settings"]) == ("smoke", [])
    assert "bytes_per_message" in table["differs"]
    assert "packets_per_message" not in table["differs"]


def captures(bundles: Path, folder: Path) -> Path:
    """Only the captures of the bundles."""
    folder.mkdir()
    for file in bundles.glob("*/wire.pcapng.gz"):
        shutil.copy(file, folder / f"{file.parent.name}.pcapng.gz")
    return folder


def test_captures_stand_for_runs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    one, other = side(tmp_path, 30), side(tmp_path, 40)
    words = ["--device", addressing.BOARD_IP, "--json"]
    recorded = str(captures(one, tmp_path / "recorded"))
    assert cli.main(["compare", recorded, str(one), *words]) == 0
    table = json.loads(capfd.readouterr().out)
    assert {row["runs_a"] for row in table["metrics"]} == {5}
    assert all(row["a"] == row["b"] for row in table["metrics"])
    assert cli.main(["compare", recorded, str(other), *words]) == 1
    assert "bytes_per_message" in json.loads(capfd.readouterr().out)["differs"]
    assert cli.main(["compare", str(next(one.glob("*/wire.pcapng.gz"))), str(other), *words]) == 0
    table = json.loads(capfd.readouterr().out)
    assert {row["verdict"] for row in table["metrics"]} == {"too few runs"}


def test_a_capture_that_cannot_be_compared_is_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = side(tmp_path, 30)
    file = next(captures(data, tmp_path / "recorded").iterdir())

    def refused(*words: str | Path) -> str:
        assert cli.main(["compare", *map(str, words), "--point", "mode=coap-con"]) == 2
        said = capfd.readouterr().err.splitlines()
        return next(line for line in said if "warning" not in line)

    assert f"{file}: is a capture, and --device is missing; give" in refused(file, data)
    assert "no packet to or from 10.1.1.1; give" in refused(file, data, "--device", "10.1.1.1")
    text = tmp_path / "notes.pcapng"
    text.write_text("no capture", encoding="utf-8")
    assert f"{text}: " in refused(data, text, "--device", addressing.BOARD_IP)


def test_a_capture_that_was_cut_short_is_compared_with_a_warning(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = side(tmp_path, 30)
    file = next(captures(data, tmp_path / "recorded").iterdir())
    cut = tmp_path / "cut.pcapng"
    cut.write_bytes(gzip.decompress(file.read_bytes())[:-20])
    words = [data, cut, "--device", addressing.BOARD_IP, "--point", "mode=coap-con"]
    assert cli.main(["compare", *map(str, words)]) == 0
    assert f"warning: {cut}: end: cannot be read" in capfd.readouterr().err


def test_two_studies_are_refused_before_they_are_measured(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    one, other = side(tmp_path, 30), side(tmp_path, 40)
    for file in other.glob("*/trial.json"):
        document = json.loads(file.read_text(encoding="utf-8"))
        file.write_text(json.dumps(document | {"study": "another"}), encoding="utf-8")
    for file in [*one.glob("*/wire.pcapng.gz"), *other.glob("*/wire.pcapng.gz")]:
        file.write_bytes(b"no capture: who reads it stops with another error")
    assert cli.main(["compare", str(one), str(other)]) == 2
    said = capfd.readouterr().err
    assert said == "thinwire: error: smoke and another: are two studies; compare bundles of one\n"


def test_what_cannot_be_compared_is_bad_input(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = bundles(tmp_path)
    assert cli.main(["compare", str(data), str(tmp_path / "absent")]) == 2
    assert "absent: is not there" in capfd.readouterr().err
    (tmp_path / "empty").mkdir()
    assert cli.main(["compare", str(tmp_path / "empty"), str(data)]) == 2
    said = capfd.readouterr().err
    assert (
        "empty: holds no bundles and no captures; give a folder of them" in said
        and said.count("\n") == 1
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results of the study `matrix`: CoAP and MQTT, whose truth is known."""
    top = tmp_path_factory.mktemp("project")
    make_model(top)
    for kind in ("metrics", "factors"):
        (top / "results" / kind).mkdir(parents=True)
        text = (top / f"{kind}.csv").read_text(encoding="utf-8").replace("\ns,", "\nmatrix,")
        (top / "results" / kind / "matrix.csv").write_text(text, encoding="utf-8")
    (top / "results" / "samples").mkdir()
    with gzip.open(top / "results" / "samples" / "matrix.csv.gz", "wt", encoding="utf-8") as file:
        file.write("study,trial,sample,value\nmatrix,a,rtt_ms,1\n")
    return top


def test_two_modes_are_beside_each_other(results, monkeypatch, capfd):
    monkeypatch.chdir(results)
    words = ["compare", "--modes", "mqtt-qos2", "coap-con", "--point", "payload_bytes=15360"]
    assert cli.main(words) == 2  # CoAP was not measured there
    assert "coap-con: has no trial in study matrix; it has mqtt-qos2" in capfd.readouterr().err
    words = ["compare", "--modes", "mqtt-qos2", "coap-con", "--point", "interval_ms=60000"]
    assert cli.main([*words, "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    (row,) = (
        row
        for row in found["metrics"]
        if row["metric"] == "exchange_bytes_per_message"
        and {"payload_bytes=1000", "modem_sleep=0"} <= set(row["condition"].split())
    )
    assert row["a"] - row["b"] == 100  # the truth of make_model()
    assert cli.main(words) == 0
    assert "A: mqtt-qos2\nB: coap-con\n" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--modes", "mqtt", "coap-con"), "has several modes; choose one of mqtt-qos0, "),
        (("--modes", "mqtt-qos1", "coap"), "has several modes; choose one of coap-non, "),
        (("--modes", "coap-con", "udp-plain", "--study", "smoke"), "make it: snakemake"),
        (("--modes", "mqtt-qos2", "amqp-confirms"), "has no trial in study matrix"),
        (("x", "--modes", "coap-con", "udp-plain"), "does not go with --modes"),
        (("x",), "needs two sources, or --modes"),
    ],
)
def test_modes_that_cannot_be_compared_are_one_line(results, monkeypatch, capfd, words, text):
    monkeypatch.chdir(results)
    assert cli.main(["compare", *words]) == 2
    err = capfd.readouterr().err
    assert text in err and err.count("\n") == 1
