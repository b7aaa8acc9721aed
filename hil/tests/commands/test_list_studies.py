"""Does `thinwire studies` list all it can, and say how long trials will take?"""

from __future__ import annotations

import json
import shutil

import pytest

from hil import cli
from hil.commands import pace
from hil.design import studies


@pytest.fixture
def two(tmp_path, monkeypatch):
    """A folder of studies with one that is broken, outside any project with results."""
    folder = tmp_path / "studies"
    folder.mkdir()
    shutil.copy(studies.STUDIES / "smoke.yaml", folder)
    (folder / "broken.yaml").write_text("study: [", encoding="utf-8")
    (tmp_path / "data" / "raw").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(studies, "STUDIES", folder)
    monkeypatch.setattr(pace, "FILE", tmp_path / "pace.json")
    return folder


def test_a_broken_file_does_not_hide_the_others(two, capsys):
    assert cli.main(["studies"]) == 2
    done = capsys.readouterr()
    assert done.out.startswith("smoke ") and done.out.count("\n") == 1
    assert done.err.count("\n") == 1 and "broken.yaml" in done.err


def test_a_study_says_how_long_its_trials_will_take(two, capsys):
    assert cli.main(["studies", "smoke"]) == 0
    assert "still to run: 2 trials, 6 s of virtual time; time unknown" in capsys.readouterr().out


def test_machines_get_numbers(two, capsys):
    (two / "broken.yaml").unlink()
    assert cli.main(["studies", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["stored"], row["planned"], row["wrong"]) == (0, 2, 0)
