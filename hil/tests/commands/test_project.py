"""Does a command find the project's results from any folder?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.commands import project


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with results, and an empty one beside it."""
    (tmp_path / "clone" / "data" / "raw" / "smoke").mkdir(parents=True)
    (tmp_path / "aside").mkdir()
    return tmp_path / "clone"


def test_the_nearest_folder_above_with_results_is_the_project(clone, monkeypatch):
    monkeypatch.chdir(clone / "data" / "raw" / "smoke")
    assert project.path(project.CLAIMS) == clone / project.CLAIMS


def test_in_the_project_itself_paths_are_short(clone, monkeypatch):
    monkeypatch.chdir(clone)
    assert project.path(project.BUNDLES) == Path("data/raw")


def test_elsewhere_it_is_the_clone_that_the_program_runs_from(clone, monkeypatch):
    monkeypatch.chdir(clone.parent / "aside")
    assert project.path(project.MODEL) == ROOT / project.MODEL
