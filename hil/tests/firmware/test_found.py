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


def test_mosquitto_exceeds_the_receive_maximum() -> None:
    """In the release of the page; a later one may have the remedy."""
    broker = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
    assert broker, "mosquitto is not installed; run 'make setup'"
    release = subprocess.run([broker, "-h"], capture_output=True, text=True, check=False).stdout
    words = [sys.executable, ROOT / "docs/found/mosquitto/receive_maximum.py", broker, "4"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    if "version 2.0.11" in release:
        assert done.stdout == "Receive Maximum 4: 46 messages were open, 60 arrived\n"
    else:
        assert done.stdout.endswith(" 60 arrived\n")
