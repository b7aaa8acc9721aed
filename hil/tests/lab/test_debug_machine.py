"""GDB on a trial in the machine `uml`: it sees the program, and the trial does not notice."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from hil import cli
from hil.commands import debug
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine.uml import debugger
from hil.tests.support.uml import MQTT, bundle_of, in_cell

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    trial = Trial("debug", {}, 1, effective(MQTT, "test"))
    return bundle_of(trial, tmp_path_factory.mktemp("bundle"))


def session(capfd: pytest.CaptureFixture[str], bundle: Path, *words: str) -> str:
    """Return what a session without a terminal prints."""
    assert cli.main(["debug", str(bundle), "--batch", *words]) == 0
    said = capfd.readouterr()
    return said.out + said.err


def commands(*texts: str) -> list[str]:
    return [word for text in texts for word in ("--command", text)]


def test_a_session_without_changes_leaves_the_same_bytes(capfd, bundle: Path) -> None:
    said = session(
        capfd,
        bundle,
        "--at",
        "1.2",
        *commands(
            "monitor time",
            "break tw_app_poll",
            "continue 3",
            "watch the_app.now",
            "continue 3",
            "backtrace",
            "print app->phase",
            "stepi 50",
            "next 3",
            "finish",
        ),
    )
    assert "\n1.2" in said
    assert "$1 = RUNNING" in said
    assert "board_main (boot_records=" in said
    assert f"the run has the same bytes as {bundle}" in said


def test_thinking_takes_no_time(capfd, bundle: Path) -> None:
    said = session(
        capfd, bundle, "--at", "0.5", *commands("monitor time", "shell sleep 2", "monitor time")
    )
    times = [line for line in said.splitlines() if " instructions, " in line]
    assert len(times) == 2
    assert times[0] == times[1]
    assert "the same bytes" in said


def test_a_changed_variable_changes_the_trial(capfd, bundle: Path, tmp_path: Path) -> None:
    said = session(
        capfd,
        bundle,
        "--at",
        "0.5",
        "--out",
        str(tmp_path),
        *commands("set var the_app.phase = DRAINING"),
    )
    assert "differs from" in said
    assert "board.jsonl" in said.split("differs from")[1]
    assert (tmp_path / "debug" / bundle.name / "SHA256SUMS").is_file()


def test_the_user_can_halt_the_running_board(capfd, tmp_path: Path, monkeypatch) -> None:
    # Long enough that the host is still running it when the key comes.
    trial = Trial("debug", {}, 1, effective(MQTT | {"duration_s": 200}, "test"))
    bundle = bundle_of(trial, tmp_path)
    halted = []
    interrupt = debugger.Mailbox.interrupt

    def noted(mailbox: debugger.Mailbox) -> None:
        halted.append(mailbox)
        interrupt(mailbox)

    monkeypatch.setattr(debugger.Mailbox, "interrupt", noted)
    # Ctrl-C soon after the board runs, by GDB's own report.
    halt = (
        "python def halt(event): gdb.events.cont.disconnect(halt); "
        "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()"
    )
    said = session(
        capfd,
        bundle,
        *commands(
            "python import os, threading, signal",
            halt,
            "python gdb.events.cont.connect(halt)",
            "break crash",
            "condition 1 the_app.now == 1",
            "continue",
            "monitor time",
        ),
    )
    assert halted
    assert "SIGINT" in said or "Interrupt" in said
    assert "the same bytes" in said


def test_a_time_after_the_end_is_refused(capsys, bundle: Path) -> None:
    assert cli.main(["debug", str(bundle), "--batch", "--at", "5000"]) == 2
    message = capsys.readouterr().err
    assert "--at: 5000: the board executes nothing at that time or later" in message


def test_kill_ends_the_trial_and_its_machine(capfd, bundle: Path) -> None:
    began = time.monotonic()
    assert "the trial was ended" in session(capfd, bundle, *commands("kill"))
    assert time.monotonic() - began < 60


def test_a_gdb_that_does_not_connect_lets_the_trial_go_on(capfd, bundle: Path, monkeypatch) -> None:
    monkeypatch.setattr(debug, "_gdb", lambda *_: ["true"])
    assert "the same bytes" in session(capfd, bundle)


def test_the_time_line_of_a_cell_has_air_wire_and_log_on_one_clock(tmp_path: Path) -> None:
    trial = Trial("view", {}, 1, effective(in_cell(MQTT), "test"))
    page = tmp_path / "view.html"
    words = ["view", str(bundle_of(trial, tmp_path)), "--no-open", "--out", str(page)]
    assert cli.main(words) == 0
    shown = page.read_text(encoding="utf-8")
    rows = json.loads(shown.split("window.thinwire = ")[1].split(";\n</script>")[0])["view"]["rows"]
    assert {"device", "air: device", "air: access point", "log"} <= set(rows["from"])
    publish = [
        (ms, lane)
        for ms, lane, what in zip(rows["ms"], rows["from"], rows["what"], strict=True)
        if what == "MQTT PUBLISH"
    ]
    assert publish[0][1] == "air: device"  # before it is on the wire
