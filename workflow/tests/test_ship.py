"""Does tools/ship.py copy the answers of a build, with its commit and date?"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.commands import ask, claims_table

sys.path.insert(0, str(ROOT / "tools"))
import ship


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The results of a build: the models and the claims that are shipped, without their commit."""
    document = json.loads(ask.SHIPPED.read_text(encoding="utf-8"))
    del document["build"]
    (tmp_path / "decide.json").write_text(json.dumps(document), encoding="utf-8")
    shutil.copyfile(claims_table.SHIPPED / "claims.csv", tmp_path / "claims.csv")
    return tmp_path


def test_models_and_claims_are_copied_with_commit_and_date(results: Path) -> None:
    models, claims, build = ship.ship(results, "HEAD", "with a note", top=results)
    words = ["git", "-C", str(ROOT), "log", "-1", "--format=%H %cs"]
    head, date = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    said = {"commit": head, "date": date, "note": "with a note"}
    assert json.loads(build.read_text(encoding="utf-8")) == said
    shipped = json.loads(models.read_text(encoding="utf-8"))
    assert shipped.pop("build") == said
    assert shipped == json.loads((results / "decide.json").read_text(encoding="utf-8"))
    assert claims.read_bytes() == (results / "claims.csv").read_bytes()


def test_half_a_build_is_not_shipped(results: Path) -> None:
    (results / "claims.csv").unlink()
    with pytest.raises(InputError, match=r"claims\.csv"):
        ship.ship(results, "HEAD", top=results)
    assert not (results / "data").exists()
