"""Do the notebooks run on any study that was measured, with and without acknowledgements?"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.bundle import store as bundle
from hil.design import addressing
from hil.design.studies import load_study
from hil.design.trials import nonce
from hil.tests.support.answers import write_table
from hil.tests.support.bundles import LAB

RENDER = 'rmarkdown::render("docs/notebooks/study.Rmd", knit_root_dir = getwd(), quiet = TRUE)'


def _store(workdir: Path, name: str, round_trips_us: list[int]) -> None:
    """A bundle of the study `matrix` whose board has acknowledged messages in these times."""
    trial = load_study("smoke").trials("quick")[1]
    document = trial.document({"board": "lx106", "sha256": "0" * 64}, {})
    document |= {"study": "matrix", "trial": name}
    mark = nonce(document)
    log = [{"t": 1, "nonce": mark, "ev": "up", "ip": addressing.BOARD_IP}]
    log += [
        {"t": 1000 * (i + 2), "nonce": mark, "ev": "acked", "seq": i, "rtt_us": time}
        for i, time in enumerate(round_trips_us)
    ]
    text = "".join(json.dumps(line) + "\n" for line in log).encode()
    raw = {"board.jsonl": text, "server.jsonl": b""}
    folder = workdir / "data" / "raw" / "matrix" / name
    bundle.store(bundle.contents(document, raw, LAB | {"nonce": mark}, workdir), folder)


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    """A project's folder with one measured study; its first trial knows no acknowledgement."""
    _store(tmp_path, "a-without", [])
    _store(tmp_path, "b-with", [4000, 5000, 9000])
    rows = [
        ("matrix", "a-without", "delivered", 10, "messages", 10),
        ("matrix", "b-with", "delivered", 10, "messages", 10),
        ("matrix", "b-with", "rtt_median_ms", 5, "ms", 3),
    ]
    (tmp_path / "results" / "metrics").mkdir(parents=True)
    header = "study,trial,metric,value,unit,n"
    write_table(tmp_path / "results" / "metrics" / "matrix.csv", header, rows)
    # its tables are made, but it has no bundles here
    write_table(tmp_path / "results" / "metrics" / "aamec.csv", header, rows[:1])
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    shutil.copytree(ROOT / "docs" / "notebooks", tmp_path / "docs" / "notebooks")
    return tmp_path


def _run(workdir: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=workdir, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_both_find_the_trial_with_round_trips(workdir: Path) -> None:
    said = _run(workdir, sys.executable, "docs/notebooks/study.py")
    assert said.splitlines()[:2] == [
        "a-without delivered 10",
        "b-with rtt_median_ms 5 delivered 10",
    ]
    assert "the median of 3 round trips is 5.000 ms" in said
    _run(workdir, "Rscript", "-e", RENDER)
    page = (workdir / "docs/notebooks/study.html").read_text(encoding="utf-8")
    assert "The median of 3 round trips is 5.000 ms" in page


def test_a_study_without_acknowledgements_is_shown(workdir: Path) -> None:
    shutil.rmtree(workdir / "data" / "raw" / "matrix" / "b-with")
    assert "no message was acknowledged" in _run(workdir, sys.executable, "docs/notebooks/study.py")
    _run(workdir, "Rscript", "-e", RENDER)
    page = (workdir / "docs/notebooks/study.html").read_text(encoding="utf-8")
    assert "No message was acknowledged." in page


def _built() -> list[str]:
    """The studies that a build of this clone has measured."""
    tables = sorted((ROOT / "results" / "metrics").glob("*.csv"))
    return [path.stem for path in tables if (ROOT / "data" / "raw" / path.stem).is_dir()]


@pytest.mark.slow
@pytest.mark.skipif(not _built(), reason="nothing is built here: make paper")
def test_every_study_of_the_build_is_shown(tmp_path: Path) -> None:
    for name in ("results", "data", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    text = (ROOT / "docs" / "notebooks" / "study.py").read_text(encoding="utf-8")
    (chosen,) = (line for line in text.splitlines() if line.startswith("STUDY = "))
    for study in _built():
        notebook = tmp_path / f"{study}.py"
        notebook.write_text(text.replace(chosen, f"STUDY = {study!r}"), encoding="utf-8")
        assert _run(tmp_path, sys.executable, str(notebook)), study
    (tmp_path / "docs").mkdir()
    shutil.copytree(ROOT / "docs" / "notebooks", tmp_path / "docs" / "notebooks")
    _run(tmp_path, "Rscript", "-e", RENDER)
    assert (tmp_path / "docs/notebooks/study.html").is_file()
