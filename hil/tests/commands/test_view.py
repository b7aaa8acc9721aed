"""Does `thinwire view` write one file that holds everything, from any bundle or capture?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hil import cli
from hil.bundle import store
from hil.tests.support import bundles
from hil.tests.support.frames import frame, pcap, udp

pytestmark = pytest.mark.slow


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    files = store.contents(bundles.DOCUMENT, bundles.RAW, bundles.LAB, tmp_path)
    store.store(files, tmp_path / "bundle")
    return tmp_path / "bundle"


def viewed(path: Path, *words: str) -> str:
    """Return the page of a bundle or a capture."""
    target = path.with_name("view.html")
    assert cli.main(["view", str(path), "--no-open", "--out", str(target), *words]) == 0
    return target.read_text(encoding="utf-8")


def data(page: str) -> dict:
    """Return what the page shows."""
    found = re.search(r"window\.thinwire = (.*);\n</script>", page)
    assert found
    return json.loads(found[1])["view"]


def test_a_bundle_whose_log_names_no_address_is_shown_by_the_boards_address(bundle: Path) -> None:
    shown = data(viewed(bundle))
    assert shown["facts"]["trial"] == "quickstart/coap_r1"
    assert shown["rows"]["from"] == ["device"] * 3
    assert all(text.startswith("CoAP") for text in shown["rows"]["what"])
    assert shown["rows"]["ms"] == [0, 0, 0]


def test_programs_get_the_name_of_the_page(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["view", str(bundle), "--json"]) == 0
    page = json.loads(capsys.readouterr().out)["page"]
    assert page == str(tmp_path / "bundle.html") and Path(page).is_file()


def test_the_log_is_on_the_time_line_from_when_the_network_is_up(tmp_path: Path) -> None:
    log = bundles.lines(
        {"t": 100, "ev": "boot"},
        {"t": 500, "ev": "up", "ip": "10.77.1.1"},
        {"t": 2500, "ev": "sent", "seq": 1},
    )
    raw = bundles.RAW | {"board.jsonl": log}
    store.store(store.contents(bundles.DOCUMENT, raw, bundles.LAB, tmp_path), tmp_path / "bundle")
    rows = data(viewed(tmp_path / "bundle"))["rows"]
    lines = {
        what: (ms, device)
        for what, ms, device, kind in zip(
            rows["what"], rows["ms"], rows["device"], rows["kind"], strict=True
        )
        if kind == "log"
    }
    assert lines["sent 1"] == (2, 0.0025)
    assert lines["up"] == (0, 0.0005)


def test_a_bundle_without_frames_and_log_is_shown(tmp_path: Path) -> None:
    raw = {"wire.pcap": pcap([])}
    nothing = {"frames": 0, "dropped": 0}
    failed = bundles.LAB | {
        "outcome": "failed",
        "reason": "it <never> began",
        "capture": nothing,
    }
    store.store(store.contents(bundles.DOCUMENT, raw, failed, tmp_path), tmp_path / "bundle")
    shown = data(viewed(tmp_path / "bundle"))
    assert shown["facts"]["outcome"] == "failed: it <never> began"
    assert shown["rows"]["ms"] == []


def test_a_plain_capture_is_shown_with_and_without_its_device(tmp_path: Path) -> None:
    capture = tmp_path / "trace.pcap"
    capture.write_bytes(pcap([frame(udp(b"\x40\x02\x00\x01\xb1t\xff1"))]))
    assert data(viewed(capture))["rows"]["from"] == ["10.77.1.1"]
    assert data(viewed(capture, "--device", "10.77.1.1"))["rows"]["from"] == ["device"]


def test_the_page_is_one_file_and_the_same_each_time(bundle: Path) -> None:
    page = viewed(bundle)
    text = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r" src=|<link[^>]* href=\"(?!data:)|url\(", text)
    assert page.count("<script>") == page.count("</script>") == 3
    assert viewed(bundle) == page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none"], "none: no such file or folder"),
        (["bundle", "--device", "here"], "--device: here: is no IP address"),
        (["bundle", "--out", "none/view.html"], "none/view.html: cannot be written"),
    ],
)
def test_bad_input_is_named(
    words: list[str],
    message: str,
    bundle: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(bundle.parent)
    assert cli.main(["view", "--no-open", *words]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_what_is_no_capture_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("no capture")
    assert cli.main(["view", str(tmp_path / "text"), "--no-open"]) == 2
    assert str(tmp_path / "text") in capfd.readouterr().err
    assert not (tmp_path / "text.html").exists()
