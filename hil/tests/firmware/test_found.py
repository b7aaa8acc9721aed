"""Do the programs of docs/found show the defects of lwIP that their pages state?"""

from __future__ import annotations

import subprocess
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
