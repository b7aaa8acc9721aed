"""A failed trial is reported with its reason, and fails the run unless its study allows it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hil.design.studies import load_study

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "workflow" / "scripts" / "check_trials.py"


@pytest.fixture
def study(tmp_path):
    """The study `smoke` as a file of its own, that a test may change."""
    path = tmp_path / "smoke.yaml"
    path.write_bytes((ROOT / "workflow" / "studies" / "smoke.yaml").read_bytes())
    return path


@pytest.fixture
def bundles(tmp_path, study):
    """What the check reads of the study's bundles: every trial went well."""
    for trial in load_study(study).trials("quick"):
        write(tmp_path / "raw" / "smoke" / trial.id, "ok", "")
    return tmp_path / "raw"


def write(folder, outcome, reason):
    folder.mkdir(parents=True, exist_ok=True)
    lab = {"outcome": outcome, "reason": reason}
    (folder / "lab.json").write_text(json.dumps(lab), encoding="utf-8")


def check(study, bundles):
    out = bundles.parent / "wrong_trials.txt"
    command = [sys.executable, SCRIPT, out, study, "--bundles", bundles]
    command += ["--profile", "quick", "--testbed", "virtual"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr, out.read_text(encoding="utf-8") if out.exists() else None


def test_good_trials_say_nothing(study, bundles):
    assert check(study, bundles) == (0, "", "")


@pytest.mark.parametrize("outcome", ["failed", "invalid"])
def test_a_trial_that_went_wrong_fails_the_run_and_gives_its_reason(study, bundles, outcome):
    folder = min(bundles.glob("smoke/coap*"))
    write(folder, outcome, "the server is not ready")
    status, words, listed = check(study, bundles)
    assert (status, listed) == (1, None)
    assert f"smoke/{folder.name}: {outcome}: the server is not ready\n" in words
    assert "1 of 2 trials went wrong\n" in words
    assert "thinwire: error: trials of smoke went wrong" in words


def test_a_study_may_allow_it_and_the_trial_is_told_all_the_same(study, bundles):
    with study.open("a", encoding="utf-8") as file:
        file.write("allow_failed: true\n")
    folder = min(bundles.glob("smoke/coap*"))
    write(folder, "failed", "too large")
    status, words, listed = check(study, bundles)
    line = f"smoke/{folder.name}: failed: too large\n"
    assert (status, words, listed) == (0, line + "thinwire: 1 of 2 trials went wrong\n", line)


def test_a_bundle_that_cannot_be_read_is_an_error(study, bundles):
    (min(bundles.glob("smoke/*")) / "lab.json").write_text("{", encoding="utf-8")
    status, words, _ = check(study, bundles)
    assert status == 2
    assert "lab.json: cannot be read" in words


def test_the_workflow_looks_after_the_paper_is_there():
    command = ["snakemake", "--dry-run", "--forceall", "--cores", "1", "--config", "recordings=no"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    text = done.stdout + done.stderr
    assert text.index(": Typesetting the paper") < text.index(
        ": Looking for trials that went wrong"
    )
