"""Are the fuzzers' seed inputs and dictionaries up to date with the current keys and messages?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hil.base.paths import ROOT

FUZZ = ROOT / "firmware/tests/fuzz"


@pytest.mark.parametrize(
    ("script", "place"), [("make_corpus.py", FUZZ / "corpus"), ("make_dictionaries.py", FUZZ)]
)
def test_what_the_fuzzers_start_from_is_made_anew(script: str, place: Path, tmp_path: Path) -> None:
    """Otherwise a fuzzer would hardly find a new key."""
    subprocess.run([sys.executable, FUZZ / script, tmp_path], check=True)
    made = [path.relative_to(tmp_path) for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    assert made
    kept = [place / name for name in made]
    stale = [
        str(name)
        for name, old in zip(made, kept, strict=True)
        if not old.is_file() or old.read_bytes() != (tmp_path / name).read_bytes()
    ]
    assert not stale, f"write them again: python firmware/tests/fuzz/{script} {place}"
