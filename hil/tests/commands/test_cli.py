"""Does the command line answer bad input with one clear line and the right exit status?"""

from __future__ import annotations

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
from hil.design.trials import Trial
from hil.system import tools
from hil.testbeds import runner


def fails(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The error line of a command that must end with status 2."""
    assert cli.main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith("thinwire: error: ") and said.count("\n") == 1
    return said


RUN = ("trial", "run", "quickstart", "--out", "unused")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("trial", "run", "quickstrt", "--out", "x"), "did you mean 'quickstart'?"),
        ((*RUN, "--point", "qoss=1"), "--point: qoss: unknown factor; did you mean 'qos'?"),
        ((*RUN, "--point", "qos"), "is not KEY=VALUE"),
        (
            (*RUN, "--point", "qos=7"),
            "--point: qos=7: no trial of study quickstart, profile quick; it has 0, 1, 2;",
        ),
        ((*RUN, "--point", "qos=1", "interval_ms=7"), "interval_ms=7: no trial"),
        ((*RUN, "--rep", "99"), "--rep: 99: no trial of study quickstart, profile quick; use "),
        ((*RUN, "--trial", "mqtt-qos0_nagle0_interval100"), "did you mean 'mqtt-qos0_nagle0_"),
        (
            ("trial", "run", "smoke", "--out", str(ROOT / "README.md" / "x")),
            "Not a directory); name a folder that you may write to",
        ),
        (("crate", "make", "smoke", "--out", "a.tar.gz"), "name a folder, or a file NAME.zip"),
        (("studies", "nothing"), "no such study"),
    ],
)
def test_bad_words(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], text: str) -> None:
    assert text in fails(capsys, *words)


def test_missing_firmware_says_how_to_build_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Nowhere:
        def check(self, trial: Trial) -> None:
            pass

        def prepare(self) -> None:
            pass

    monkeypatch.setitem(runner.FIRMWARE, "lx106", tmp_path / "absent.elf")
    monkeypatch.setattr(runner, "testbed", lambda name, **_: Nowhere())
    said = fails(capsys, *RUN, "--rep", "1", "--point", "qos=0", "interval_ms=100", "nagle=1")
    assert "the firmware is missing; build it: setup/fetch && cmake" in said


@pytest.mark.parametrize("words", [["fly"], ["trial", "run"], ["lab", "paint"]])
def test_usage_errors_have_status_2(words: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "hil.cli", *words], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "usage:" in run.stderr and "Traceback" not in run.stderr


@pytest.mark.parametrize("command", sorted(cli.COMMANDS))
def test_every_command_explains_itself(command: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "hil.cli", command, "--help"], capture_output=True, check=False
    )
    assert run.returncode == 0


def test_studies_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["studies"]) == 0
    assert "quickstart" in capsys.readouterr().out


def test_the_analysis_runs_from_a_folder_with_a_blank_in_its_name(tmp_path: Path) -> None:
    (tmp_path / "my clone").symlink_to(ROOT)
    script = tmp_path / "my clone" / "workflow" / "scripts" / "analyze.R"
    run = subprocess.run(
        ["Rscript", script, "--capture", tmp_path / "no capture", "--device", "192.0.2.1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert "no capture: no such file" in run.stderr


@pytest.mark.parametrize(("given", "taken"), [("/a b", "/tmp"), ("/a", "/a"), ("", "")])
def test_r_gets_no_temporary_folder_with_a_blank(
    monkeypatch: pytest.MonkeyPatch, given: str, taken: str
) -> None:
    monkeypatch.setenv("TMPDIR", given)
    assert tools.r_environment()["TMPDIR"] == taken


def test_analyze_explains_each_metric_that_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["analyze", "--help"])
    said = capsys.readouterr().out
    assert "docs/metrics.md" in said
    defined = re.findall(r"^  ([a-z_0-9*, ]+?)(?: \(.*\))?$", said, re.MULTILINE)
    names = [name for line in defined for name in line.split(", ")]
    code = (ROOT / "workflow" / "R" / "capture" / "R" / "measure.R").read_text(encoding="utf-8")
    printed = set(re.findall(r'metric_row\(\s*"([a-z_0-9]+)"', code))
    printed |= set(re.findall(r'(?:spread|mean|rate)_rows\("([a-z_0-9]+)"', code))
    assert len(printed) > 20
    assert printed - set(names) == set()


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
    run = analyze(file, file, "--device", "10.0.0.2", "--plot", page)
    assert run.returncode == 0
    assert run.stdout.count("messages_repeated") == 2
    assert page.read_bytes().startswith(b"%PDF-")
    run = analyze(file, "--device", "10.0.0.2", "--plot", tmp_path / "page.svg")
    assert run.returncode == 2 and "ends neither in .pdf nor in .png" in run.stderr


def test_commands_that_the_project_runs_exist():
    """Makefile, rules, scripts and pages name only commands of `thinwire`."""
    places = ("Makefile", "*.md", ".github", "docs", "setup", "tools", "workflow/rules")
    pattern = "(^|[`@;&]|^ +)thinwire [a-z]+"
    words = ["git", "grep", "--only-matching", "-hE", pattern, "--", *places]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    commands = {line.split()[-1] for line in found.splitlines()}
    assert {"claims", "summary"} <= commands
    assert commands <= {*cli.COMMANDS, "help"}
