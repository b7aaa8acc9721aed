"""Debian's GDB on the board's firmware in the emulator of sim/lx106."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.system import tools

EMULATOR = ROOT / "build/sim/lx106/lx106"
FIRMWARE = ROOT / "build/firmware/lx106/thinwire.elf"
SCRIPT = ROOT / "firmware/boards/lx106/gdb.py"
WORDS = "proto=udp peer=10.0.0.1 ip=10.0.0.2 messages=3 duration_ms=2000"


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Path]:
    """Start a board that waits for a debugger at its first instruction; yield the socket."""
    place = tmp_path / "gdb"
    network = (
        f"dgram,local.type=unix,local.path={tmp_path / 'board'},"
        f"remote.type=unix,remote.path={tmp_path / 'far'}"
    )
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as far,
        (tmp_path / "log").open("wb") as log,
    ):
        far.bind(str(tmp_path / "far"))
        command = [EMULATOR, "--netdev", network, "--gdb", f"unix:{place}", FIRMWARE, WORDS]
        with subprocess.Popen(command, stdout=log) as process:
            while not place.exists():
                assert process.poll() is None
            yield place
            process.terminate()


def gdb(place: Path, *commands: str) -> str:
    """Return what GDB prints for these commands."""
    words = [f'file "{FIRMWARE}"', f"target remote {place}", *commands]
    argv = [tools.program("gdb-multiarch"), "-nx", "-q", "-batch", "-ix", str(SCRIPT)]
    for word in words:
        argv += ["-ex", word]
    run = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    return run.stdout + run.stderr


@pytest.mark.slow
def test_a_breakpoint_shows_source_line_variable_and_callers(board: Path) -> None:
    said = gdb(
        board,
        "break update_transport",
        "continue",
        "print app->config.messages",
        "list 111,111",
        "backtrace",
    )
    assert "Breakpoint 1.1, update_transport (app=0x3ff" in said
    assert "$1 = 3\n" in said
    assert "app->phase > DRAINING" in said
    frames = said[said.index("#0  update_transport (app=0x3ff") :]
    callers = [
        "in tw_app_poll (app=0x3ff",
        "in tw_secure_poll (app=",
        "in run (app=",
        "board_main (",
        "in _start () at ./firmware/boards/lx106/src/start.S",
    ]
    places = [frames.index(caller) for caller in callers]
    assert places == sorted(places)


@pytest.mark.slow
def test_a_watchpoint_shows_both_values(board: Path) -> None:
    said = gdb(board, "watch the_app.phase", "continue", "print $ps")
    assert "Hardware watchpoint 1: the_app.phase" in said
    assert "Old value = " in said
    assert "New value = " in said


@pytest.mark.slow
def test_finish_shows_the_value_by_the_firmwares_own_rules(board: Path) -> None:
    said = gdb(board, "break clock_ms", "continue", "finish", "print (unsigned)$r2 == $returned")
    assert "Value returned is $returned = " in said
    assert "$1 = 1\n" in said


@pytest.mark.slow
def test_instructions_are_those_of_the_lx106(board: Path) -> None:
    said = gdb(board, "x/2i board_main", "print update_transport(0)")
    assert "board_main>:\taddi a1, a1, -" in said
    assert "may-call-functions is off" in said
