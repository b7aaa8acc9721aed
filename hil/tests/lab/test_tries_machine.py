"""`thinwire try` as a user types it, in the machine `uml`: examples, protocols, servers, seeds."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from hil import cli
from hil.bundle import store, verify
from hil.commands import example
from hil.design import tryfile
from hil.machine.uml import kernel

pytestmark = pytest.mark.lab

PROGRAMS = Path(__file__).parents[1] / "support" / "programs"
SENT = "expect: {sent: 10, delivered: 10, duplicates: 0, malformed: 0}\n"


def tried(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """Run the command; return its document, after checking its exit status against it."""
    if why := kernel.why_not():
        pytest.fail(why)
    status = cli.main(["try", str(folder), "--json", *words])
    found = capsys.readouterr()
    assert status in {0, 1}, found.err
    document: dict[str, Any] = json.loads(found.out)
    assert document["pass"] == (status == 0)
    for trial in document["trials"]:
        verify.check(Path(trial["bundle"]))
    return document


def values(document: dict[str, Any]) -> dict[str, Any]:
    return {one["name"]: one["worst"]["value"] for one in document["expectations"]}


def check_example(folder: Path, language: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything that the example expects holds, and its first seed gives the same bundle again."""
    target = folder / "client"
    example.create(target, language)
    document = tried(target, capsys)
    assert document["pass"], document
    assert len(document["trials"]) == 3
    assert values(document).get("back_after_outage_s", 1) > 0
    sums = Path(document["trials"][0]["bundle"]) / store.SUMS
    before = sums.read_bytes()
    tried(target, capsys, "--seed", "1", "--no-build")
    assert sums.read_bytes() == before


@pytest.mark.parametrize("language", ["c", "python", "lx106"])
def test_an_example_holds_and_repeats(
    tmp_path: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    check_example(tmp_path, language, capsys)


def script(folder: Path, protocol: str, more: str) -> Path:
    """A folder with programs/send.py for a protocol."""
    shutil.copy(PROGRAMS / "send.py", folder)
    (folder / tryfile.FILE).write_text(
        f'device: {{script: send.py, arguments: [{protocol}, "{{server}}", "{{port}}"]}}\n'
        f"protocol: {protocol}\nduration_s: 10\n{more}"
    )
    return folder


@pytest.mark.parametrize("protocol", ["coap", "http", "mqttsn", "websocket"])
def test_messages_of_each_protocol_are_found_at_both_ends(
    tmp_path: Path, protocol: str, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tried(script(tmp_path, protocol, f"link: {{delay_ms: 5}}\n{SENT}"), capsys)
    assert document["pass"], document


def test_lost_messages_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = "link: {loss_pct: 40}\nexpect: {sent: 10, delivered: 100 %}\n"
    document = tried(script(tmp_path, "coap", more), capsys)
    found = values(document)
    assert found["sent"] == 10 and 0 < found["delivered"] < 100
    assert not document["pass"]


def test_a_device_that_does_not_come_back_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = "interruptions: {link: [[2, 6]]}\nexpect: {delivered: 100 %, back_after_outage: < 1 s}\n"
    (missed, late) = tried(script(tmp_path, "coap", more), capsys)["expectations"]
    assert missed["worst"]["value"] < 100 and not missed["pass"]
    assert late["worst"]["value"] is None
    assert late["worst"]["reason"].startswith("no message reached the server's application after")


def test_a_broker_of_the_users_own_is_the_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "client"
    example.create(target, "c")
    (target / "broker.conf").write_text("listener 1999\nallow_anonymous true\n")
    text = (target / tryfile.FILE).read_text()
    server = "{program: mosquitto, arguments: [-c, broker.conf], files: [broker.conf], port: 1999}"
    text = text.replace("server: mosquitto", f"server: {server}\nprotocol: mqtt")
    (target / tryfile.FILE).write_text(text.replace("seeds: 3", "seeds: 1"))
    document = tried(target, capsys)
    assert document["pass"], document


def test_an_engine_of_ours_in_the_cell_is_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / tryfile.FILE).write_text(
        "device: {engine: mqtt-qos1}\ncell: {wifi_standard: n}\nduration_s: 10\nseeds: [4]\n"
        "parameters: {payload_bytes: 100, interval_ms: 100}\n"
        "expect: {delivered: 100 %, charge_per_message: <= 60 uC, memory_free_min: >= 8 kB}\n"
    )
    document = tried(tmp_path, capsys)
    assert document["pass"], document
    assert document["trials"][0]["repeat"].endswith(f"{tmp_path} --seed 4")


UNLIKE = """\
device: {program: ./unlike, arguments: [%s, "{server}", "{port}"]}
build: cc -O1 -mrdrnd -o unlike unlike.c
server: udp
duration_s: 3
expect: {captured_frames: ">= 0"}
"""


def unlike(folder: Path, what: str) -> Path:
    """A folder with programs/unlike.c, which sends or prints a random number of the processor."""
    if " rdrand " not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this host's processor has no random numbers")
    shutil.copy(PROGRAMS / "unlike.c", folder)
    (folder / tryfile.FILE).write_text(UNLIKE % what)
    return folder


def test_a_client_that_repeats_is_found_to_repeat(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = script(tmp_path, "coap", f"link: {{delay_ms: 5}}\n{SENT}")
    document = tried(target, capsys, "--repeat", "3")
    assert document["pass"] and document["runs"] == 3 and document["differences"] == []


@pytest.mark.parametrize(
    ("what", "first"), [("send", r"at .* wire, event 1:"), ("print", r"board\.out\.txt, line 1:")]
)
def test_a_client_that_does_not_repeat_is_named_with_its_cause(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str, first: str
) -> None:
    document = tried(unlike(tmp_path, what), capsys, "--repeat", "2")
    (difference,) = document["differences"]
    assert not document["pass"]
    assert difference["run"] == "run 2" and re.match(first, difference["first"])
    assert "/device/unlike may execute RDRAND, in " in difference["causes"][0]
    for bundle in difference["bundles"]:
        verify.check(Path(bundle))


def test_a_run_that_differs_from_an_earlier_one_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = unlike(tmp_path, "send")
    assert tried(target, capsys)["differences"] == []
    (difference,) = tried(target, capsys, "--no-build")["differences"]
    assert difference["run"] == "an earlier run"
