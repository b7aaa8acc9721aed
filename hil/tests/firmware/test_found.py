"""Do the programs of docs/found show the defects that their pages state?"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hil.base.paths import ROOT

FOUND = ROOT / "docs" / "found" / "lwip"
LWIP = ROOT / "build" / "src" / "lwip" / "src"


def build(folder: Path, *options: str) -> Path:
    """Build the program with the sources that `make device` has unpacked."""
    sources = [*sorted((LWIP / "core").glob("*.c")), *sorted((LWIP / "core/ipv4").glob("*.c"))]
    assert sources, "no sources of lwIP; run 'make device'"
    includes = ["-I", FOUND, "-I", LWIP / "include"]
    argv = ["cc", "-O0", "-w", *options, *includes, FOUND / "lwip.c", *sources]
    subprocess.run([*argv, "-o", folder / "lwip"], check=True)
    return folder / "lwip"


@pytest.mark.slow
def test_a_fin_half_the_sequence_space_away_fails_an_assertion(tmp_path: Path) -> None:
    done = subprocess.run([build(tmp_path), "fin"], capture_output=True, text=True, check=False)
    assert done.returncode and 'Assertion "insane offset!" failed' in done.stdout + done.stderr


@pytest.mark.slow
def test_without_assertions_that_fin_closes_the_connection(tmp_path: Path) -> None:
    program = build(tmp_path, "-DLWIP_NOASSERT")
    done = subprocess.run([program, "fin"], capture_output=True, text=True, check=True)
    assert "the peer has closed" in done.stdout


def mosquitto(program: str, argument: str) -> tuple[str, str]:
    """Run a program of docs/found/mosquitto. Return what it prints, and the broker's release."""
    broker = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
    assert broker, "mosquitto is not installed; run 'make setup'"
    said = subprocess.run([broker, "-h"], capture_output=True, text=True, check=False).stdout
    words = [sys.executable, ROOT / "docs/found/mosquitto" / program, broker, argument]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return done.stdout, said.split("version ", 1)[1].split()[0]


# Each in the releases of its page; a later one may have the remedy.
def test_mosquitto_exceeds_the_receive_maximum() -> None:
    printed, release = mosquitto("receive_maximum.py", "4")
    if release == "2.0.11":
        assert printed == "Receive Maximum 4: 46 messages were open, 60 arrived\n"
    else:
        assert printed.endswith(" 60 arrived\n")


def test_mosquitto_does_not_store_a_session_that_began_clean() -> None:
    assert mosquitto("clean_start.py", "0")[0] == "Clean Start 0: there after the restart\n"
    printed, release = mosquitto("clean_start.py", "1")
    if release in ("2.0.11", "2.0.21"):
        assert printed == "Clean Start 1: lost after the restart\n"
