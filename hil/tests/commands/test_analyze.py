"""Does `thinwire analyze` measure captures and bundles, explain metrics, and refuse in one line?"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import shlex
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from hil import cli
from hil.base.paths import ROOT
from hil.bundle import store as bundle
from hil.commands import analyze as command
from hil.design import addressing, protocols
from hil.design.studies import load_study
from hil.design.trials import nonce
from hil.tests.support.bundles import LAB
from hil.tests.support.frames import frame, pcap, udp


def test_each_metric_that_it_prints_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    code = (ROOT / "workflow" / "R" / "capture" / "R" / "measure.R").read_text(encoding="utf-8")
    printed = set(re.findall(r'metric_row\(\s*"([a-z_0-9]+)"', code))
    printed |= set(re.findall(r'(?:spread|mean|rate)_rows\("([a-z_0-9]+)"', code))
    assert len(printed) > 20
    # What `trial run`, `try` and the studies print of a trial's logs.
    printed |= {"rtt_median_ms", "rtt_p95_ms", "back_after_outage_s", "delivery_span_s"}
    for metric in sorted(printed):
        assert cli.main(["analyze", "--explain", metric]) == 0
        assert len(capsys.readouterr().out.splitlines()) > 1


def test_a_metric_that_is_none_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["analyze", "--explain", "retransmision"]) == 2
    assert "did you mean 'retransmissions'?" in capsys.readouterr().err


def analyze(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hil.cli", "analyze", *words],
        capture_output=True,
        text=True,
        check=False,
    )


def write_coap(folder: Path) -> Path:
    """A capture of three CoAP requests from 10.0.0.2 and their responses, without checksums."""
    packets = b""
    for i in range(6):
        ends = (b"\n\0\0\2", b"\n\0\0\1") if i % 2 == 0 else (b"\n\0\0\1", b"\n\0\0\2")
        code, kind = (1, 0) if i % 2 == 0 else (0x45, 2)
        coap = bytes([0x41 | kind << 4, code, 0, i // 2, i // 2]) + (b"\xb1t" if code == 1 else b"")
        ports = (40000, 5683) if i % 2 == 0 else (5683, 40000)
        udp = struct.pack(">HHHH", *ports, 8 + len(coap), 0) + coap
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0) + b"".join(ends)
        total = sum(struct.unpack(">10H", ip))
        ip = ip[:10] + struct.pack(">H", ~(total + (total >> 16)) & 0xFFFF) + ip[12:]
        packets += struct.pack("<IIII", 100, 1000 * i, 20 + len(udp), 20 + len(udp)) + ip + udp
    file = folder / "two words.pcap"
    file.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101) + packets)
    return file


def test_analyze_measures_the_good_captures_beside_a_bad_one(tmp_path: Path) -> None:
    file, samples = write_coap(tmp_path), tmp_path / "samples.csv"
    run = analyze(
        file,
        tmp_path / "none.pcap",
        "--device",
        "10.0.0.2",
        "--format=json",
        "--by=peer",
        "--samples",
        samples,
    )
    assert run.returncode == 2
    error = f"thinwire: error: {tmp_path}/none.pcap: no such file; check the path"
    assert run.stderr.splitlines()[-1] == error
    (capture,) = json.loads(run.stdout)["captures"]
    values = {row["metric"]: row["value"] for row in capture["metrics"]}
    assert values["messages"] == 3 and values["response_p95_ms"] == 1
    assert capture["role"] == {"value": "publish"}
    assert [group["group"] for group in capture["by_peer"]] == ["10.0.0.1"]
    rows = list(csv.DictReader(samples.read_text(encoding="utf-8").splitlines()))
    assert [row["answered_s"] for row in rows] == ["0.001000000", "0.003000000", "0.005000000"]


def test_a_protocol_that_is_none_is_one_line(tmp_path: Path) -> None:
    run = analyze(write_coap(tmp_path), "--device", "10.0.0.2", "--ports", "mqt=1")
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert line.startswith("thinwire: error: --ports: no such protocol: mqt; use one of mqtt,")


def test_analyze_opens_tls_by_a_key_log(tmp_path: Path) -> None:
    """A capture of Python's HTTPS client, without the secrets that it holds and beside them."""
    whole = ROOT / "workflow/R/tests/captures/http_tls13.pcapng.gz"
    bare, keys = tmp_path / "bare.pcapng", tmp_path / "keys.log"
    subprocess.run(["editcap", "--discard-all-secrets", whole, bare], check=True)
    keys.write_bytes(
        b"".join(
            re.findall(rb"[A-Z0-9_]+ [0-9a-f]{64} [0-9a-f]+\n", gzip.decompress(whole.read_bytes()))
        )
    )
    words = (bare, "--device=127.0.0.1", "--ports=tls=4413", "--format=json")
    (shut,) = json.loads(analyze(*words).stdout)["captures"]
    (opened,) = json.loads(analyze(*words, "--keys", keys).stdout)["captures"]
    assert (shut["protocol"]["value"], opened["protocol"]["value"]) == ("tls", "http")
    run = analyze(*words, "--keys", bare)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.splitlines()[-1].startswith(f"thinwire: error: --keys: {bare} holds no key")


def test_analyze_without_device_says_how_to_go_on(tmp_path: Path) -> None:
    file = write_coap(tmp_path)
    run = analyze(file)
    assert run.returncode == 0 and run.stderr == ""
    (line,) = [line for line in run.stdout.splitlines() if line.endswith("--device 10.0.0.2")]
    again = subprocess.run(
        [sys.executable, "-m", "hil.cli", *shlex.split(line)[1:]], capture_output=True, check=False
    )
    assert again.returncode == 0


def test_analyze_draws_a_page_for_each_capture(tmp_path: Path) -> None:
    file, page = write_coap(tmp_path), tmp_path / "page.pdf"
    run = analyze(file, file, "--device", "10.0.0.2", "--plot", page, "--all")
    assert run.returncode == 0
    assert run.stdout.count("messages_repeated") == 2
    assert page.read_bytes().startswith(b"%PDF-")
    run = analyze(file, "--device", "10.0.0.2", "--plot", tmp_path / "page.svg")
    assert run.returncode == 2 and "ends neither in .pdf nor in .png" in run.stderr


def test_the_summary_is_short_and_the_rest_is_on_demand(tmp_path: Path) -> None:
    file = write_coap(tmp_path)
    brief = analyze(file, "--device", "10.0.0.2").stdout.splitlines()
    assert brief[1].startswith("  coap, role publish, 10.0.0.2 with 10.0.0.1 port 5683")
    assert brief[2].startswith("  captured ")
    rows = brief[brief.index("") + 2 : -2]
    assert len(rows) <= 8
    (line,) = (row for row in rows if row.startswith("to the response, median"))
    assert line.split()[-2:] == ["1", "ms"]
    said = analyze(file, "--device", "10.0.0.2", "--all").stdout
    assert "ledger_" in said and "ledger_" not in "\n".join(brief)
    assert brief[-1].startswith(f"{len(brief_metrics(file))} metrics with --all")


def brief_metrics(file: Path) -> list[str]:
    """The metrics of the CSV, which has all."""
    rows = analyze(file, "--device", "10.0.0.2", "--format", "csv").stdout.splitlines()
    return [row["metric"] for row in csv.DictReader(rows)]


@pytest.fixture
def trial_bundle(tmp_path: Path) -> Path:
    """A bundle of three CoAP messages, whose device has measured two round trips."""
    trial = load_study("smoke").trials("quick")[1]
    document = trial.document({"board": "lx106", "sha256": "0" * 64}, {})
    mark = nonce(document)
    log = [{"t": 1, "nonce": mark, "ev": "up", "ip": addressing.BOARD_IP}]
    log += [{"t": 9, "nonce": mark, "ev": "acked", "seq": i, "rtt_us": 4000} for i in (1, 2)]
    post = bytes.fromhex("40020000b1") + b"t\xffhello"
    frames = [frame(udp(post[:3] + bytes([n]) + post[4:]), n * 10**8) for n in (1, 2, 3)]
    text = "".join(json.dumps(line) + "\n" for line in log).encode()
    raw = {"wire.pcap": pcap(frames), "board.jsonl": text, "server.jsonl": b""}
    folder = tmp_path / "raw" / "smoke" / trial.id
    bundle.store(bundle.contents(document, raw, LAB | {"nonce": mark}, tmp_path), folder)
    return folder


def test_a_bundle_knows_its_device_and_the_round_trip_there(trial_bundle: Path) -> None:
    run = analyze(trial_bundle.parent)  # the folder above holds this one bundle
    assert run.returncode == 0, run.stderr
    assert f"{addressing.BOARD_IP} with" in run.stdout
    assert "captured at the other end: times to an ACK or response are without" in run.stdout
    (line,) = (row for row in run.stdout.splitlines() if row.startswith("round trip at the device"))
    assert line.split()[-2:] == ["4", "ms"]


def test_a_folder_without_bundles_and_a_capture_beside_bundles_are_refused(
    trial_bundle: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    for words, text in (
        ((tmp_path / "empty",), "holds no bundle; name a capture"),
        ((trial_bundle, trial_bundle / "wire.pcapng.gz"), "is a capture beside bundles"),
        ((), "names no capture"),
    ):
        run = analyze(*words)
        assert (run.returncode, text in run.stderr, run.stderr.count("\n")) == (2, True, 1)


def test_two_formats_are_refused(tmp_path: Path) -> None:
    run = analyze("x", "--json", "--format", "csv")
    assert run.returncode == 2
    assert "--format: not allowed with argument --json" in run.stderr


def test_a_capture_is_read_from_standard_input(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hil.cli", "analyze", "-", "--device", "10.0.0.2", "--json"],
        input=write_coap(tmp_path).read_bytes(),
        capture_output=True,
        check=False,
    )
    (capture,) = json.loads(done.stdout)["captures"]
    assert next(row["value"] for row in capture["metrics"] if row["metric"] == "messages") == 3


def test_a_bundle_knows_the_port_of_a_protocol_that_no_dissector_does(monkeypatch, tmp_path):
    row = {"layer": "data", "transport": "udp", "servers": {"default": {"port": 7002}}}
    monkeypatch.setattr(protocols, "document", lambda: {"knock": row})
    document = {"parameters": {"protocol": "knock"}}
    (tmp_path / "trial.json").write_text(json.dumps(document), encoding="utf-8")
    arguments = argparse.Namespace(device=None, ports=None)
    captures = command._of_bundles(arguments, [tmp_path])
    assert captures == [str(tmp_path / "wire.pcapng.gz")]
    assert (arguments.device, arguments.ports) == (addressing.BOARD_IP, "udp=7002")
