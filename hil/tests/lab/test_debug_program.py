"""GDB on a foreign program in the machine `uml`: it halts, and the trial does not notice."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hil import cli
from hil.commands import debug
from hil.design.device import Device
from hil.machine.uml import halted
from hil.tests.lab.test_debug_machine import commands, session
from hil.tests.lab.test_programs import PROGRAMS, run

pytestmark = pytest.mark.lab

WORDS = ("{server}", "{port}", "5", "1000")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trial of programs/client.c, static, with debug information."""
    folder, out = tmp_path_factory.mktemp("client"), tmp_path_factory.mktemp("out")
    words = ["cc", "-g", "-O0", "-static", "-o", folder / "client", PROGRAMS / "client.c"]
    subprocess.run(words, check=True)
    return run(folder, Device("program", ("./client", *WORDS)), out).folder


def test_a_program_is_halted_at_a_time_and_leaves_the_same_bytes(capfd, bundle: Path) -> None:
    texts = ("backtrace", "break publish", "continue", "next 5", "info locals", "thinwire-time")
    said = session(capfd, bundle, "--at", "2.5", *commands(*texts))
    halt, _, later = said.partition("Breakpoint")
    assert "clock_nanosleep" in halt and "in main (count=5" in halt
    assert "publish (number=4)" in later
    assert re.search(r'packet = "2.*message 4', later)
    # It wakes 3 s after its start. The link delays its message, and may lose it once.
    assert re.search(r"^3\.\d+ s$", later, re.M)
    assert f"the run has the same bytes as {bundle}" in said


def test_thinking_takes_no_time(capfd, bundle: Path) -> None:
    texts = ("thinwire-time", "shell sleep 2", "thinwire-time")
    said = session(capfd, bundle, "--at", "0.5", *commands(*texts))
    first, second = re.findall(r"^[\d.]+ s$", said, re.MULTILINE)
    assert first == second
    assert "the same bytes" in said


def test_a_changed_variable_changes_the_trial(capfd, bundle: Path) -> None:
    texts = ("break ask if size > 20", "continue", "set var packet[14] = 'x'")
    said = session(capfd, bundle, *commands(*texts))
    assert "differs from" in said and "wire.pcapng.gz" in said.split("differs from")[1]


def test_a_time_after_its_end_is_refused(capsys, bundle: Path) -> None:
    assert cli.main(["debug", str(bundle), "--batch", "--at", "8"]) == 2
    assert "--at: 8: the board executes nothing at that time" in capsys.readouterr().err


def test_a_gdb_that_does_nothing_lets_the_trial_go_on(capfd, bundle: Path, monkeypatch) -> None:
    monkeypatch.setattr(debug, "_gdb", lambda *_: ["true"])
    assert cli.main(["debug", str(bundle)]) == 2
    assert "executes nothing" in capfd.readouterr().err


def test_why_gdb_cannot_attach_is_printed(capfd, bundle: Path, monkeypatch, tmp_path: Path) -> None:
    failing = tmp_path / "failing.py"
    text = halted.SCRIPT.read_text(encoding="utf-8").replace("attach {GIVEN['kernel']}", "attach 0")
    failing.write_text(text, encoding="utf-8")
    symbols = halted.SCRIPT.with_name("program_symbols.py")
    (tmp_path / symbols.name).symlink_to(symbols)
    monkeypatch.setattr(halted, "SCRIPT", failing)
    assert cli.main(["debug", str(bundle), "--batch"]) == 3
    assert "GDB cannot attach to the program: " in capfd.readouterr().err


SCRIPTS = {
    "program": ("./send.py", "coap", "{server}", "{port}"),
    "tap": ("./stack.py", "{interface}", "{mac}", "{ip}", "{server}", "{port}", "4"),
}


@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_script_is_halted_in_its_interpreter(capfd, tmp_path: Path, kind: str) -> None:
    """Its first line is `/usr/bin/env python3`, so the program becomes another one."""
    found = run(PROGRAMS, Device(kind, SCRIPTS[kind]), tmp_path, protocol="coap").folder
    said = session(capfd, found, "--at", "0.5", *commands("backtrace"))
    assert "Py_BytesMain (" in said
    assert "the same bytes" in said
