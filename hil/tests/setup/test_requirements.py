"""Is every Python package that set-up or `make requirements` installs pinned by hash?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hil.base.paths import ROOT

PINNED = sorted(ROOT.glob("setup/**/requirements.txt"))


@pytest.mark.parametrize("file", PINNED, ids=lambda file: str(file.parent.name))
def test_every_line_is_a_version_and_its_hashes(file: Path) -> None:
    entries = file.read_text().replace("\\\n", " ").splitlines()
    for entry in (entry for entry in entries if entry and not entry.startswith("#")):
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==\S+( ;[^-]+)?( +--hash=sha256:[0-9a-f]{64})+", entry)


@pytest.mark.parametrize("file", PINNED, ids=lambda file: str(file.parent.name))
def test_what_is_asked_for_is_pinned(file: Path) -> None:
    asked = file.with_suffix(".in").read_text().splitlines()
    names = {re.split(r"[<>=]", line)[0] for line in asked if line and not line.startswith("#")}
    assert names <= {line.partition("==")[0] for line in file.read_text().splitlines()}


def test_nothing_is_installed_without_its_hash() -> None:
    for name in ("Makefile", "setup/install"):
        text = (ROOT / name).read_text().replace("\\\n", " ")
        installs = [line for line in text.splitlines() if "pip install" in line]
        assert installs
        for line in installs:
            assert "--require-hashes" in line or "--no-deps --no-build-isolation -e ." in line
