"""The project whose results and bundles a command reads, found from any folder below it."""

from __future__ import annotations

from pathlib import Path

from hil.base.paths import ROOT
from hil.machine.shipped import IN_WHEEL

BUNDLES = "data/raw"
MODEL = "results/decide.json"
CLAIMS = "results/claims.csv"
PAGE = "results/report/index.html"
# A clone, a folder that deploys the workflow, or a folder with what either of them made.
_WORKFLOW = "workflow/Snakefile"
_MARKS = (_WORKFLOW, MODEL, CLAIMS, "results/metrics", BUNDLES)


def project() -> Path:
    """Return the nearest folder, from the current one upwards, with a project's files; elsewhere
    the clone that this program runs from, or the current folder if it is installed from a wheel."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if any((folder / mark).exists() for mark in _MARKS):
            return folder
    return here if IN_WHEEL else ROOT


def path(name: str) -> Path:
    """Return the path of a file or folder of the project, short where the current folder is it."""
    top = project()
    return Path(name) if top == Path.cwd() else top / name


def remake(goal: object, options: str = "") -> str:
    """Return a remedy: the command that makes the file of results `goal`. A wheel has no workflow,
    so elsewhere than in a folder that deploys it, this needs a clone."""
    if IN_WHEEL and not (project() / _WORKFLOW).is_file():
        return "'make paper' in a clone of the project makes it; run this command there"
    return f"make it: snakemake --cores all {options}-- {goal}"
