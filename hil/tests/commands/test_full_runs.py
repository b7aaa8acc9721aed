"""Does data/full get the verdicts of complete studies, and only those?"""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.commands import full_runs
from hil.commands.claims_list import Claim
from hil.design.studies import load_study

STUDY = "smoke"
TRIALS = [trial.id for trial in load_study(STUDY).trials("full")]


def git(top: Path, *words: str) -> str:
    names = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    done = subprocess.run(
        ["git", "-C", str(top), *names, *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def claim(name: str, study: str = STUDY, verdict: str = "reproduced", n: str = "5") -> Claim:
    known = {"claim": name, "study": study, "verdict": verdict, "n": n, "rule": "m: a > b"}
    known["counted"] = "once"
    return Claim(**(dict.fromkeys(Claim._fields, "") | known))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A checkout with the bundles and factors of the full design of one study."""
    for trial in TRIALS:
        folder = tmp_path / "data/raw" / STUDY / trial
        folder.mkdir(parents=True)
        (folder / "lab.json").write_text(json.dumps({"outcome": "ok"}), encoding="utf-8")
        (folder / "SHA256SUMS").write_text(f"{trial}\n", encoding="utf-8")
    factors(tmp_path, TRIALS)
    (tmp_path / "sim/nbiot/config/full").mkdir(parents=True)
    study = {"experiment": {"seeds": 10}}
    (tmp_path / "sim/nbiot/config/full/study.json").write_text(json.dumps(study), encoding="utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "sim")
    git(tmp_path, "commit", "-qm", "x")
    return tmp_path


def factors(top: Path, trials: list[str]) -> None:
    path = top / "results/factors" / f"{STUDY}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{STUDY},{trial},outcome,ok" for trial in trials]
    path.write_text("\n".join(["study,trial,factor,value", *lines, ""]), encoding="utf-8")


def record(top: Path, claims: list[Claim]) -> list[str]:
    return full_runs.record(claims, top / "data/raw", top / "results", top / "data/full", top)


def recorded(top: Path, name: str) -> list[dict[str, str]]:
    with (top / "data/full" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_complete_study_is_recorded_with_commit_and_digest(run: Path) -> None:
    assert record(run, [claim("b"), claim("a"), claim("c", "")])[0] == (
        f"smoke: 2 claims of {len(TRIALS)} trials"
    )
    assert [row["claim"] for row in recorded(run, "claims.csv")] == ["a", "b"]
    (study,) = recorded(run, "studies.csv")
    assert study["commit"] == git(run, "rev-parse", "HEAD")
    sums = "".join(f"{trial}\n" for trial in sorted(TRIALS))
    assert study["digest"] == hashlib.sha256(sums.encode()).hexdigest()


def test_an_incomplete_study_keeps_what_was_recorded_before(run: Path) -> None:
    record(run, [claim("a")])
    (run / "data/raw" / STUDY / TRIALS[0] / "lab.json").unlink()
    lines = record(run, [claim("a", verdict="contradicted")])
    assert lines[0] == (
        f"smoke: not recorded, 1 of {len(TRIALS)} trials of the full design are not stored"
    )
    assert [row["verdict"] for row in recorded(run, "claims.csv")] == ["reproduced"]


def test_results_of_another_profile_are_not_recorded(run: Path) -> None:
    factors(run, TRIALS[:1])
    assert "those of another profile" in record(run, [claim("a")])[0]
    assert recorded(run, "claims.csv") == []


def test_the_simulation_needs_the_seeds_of_its_full_study(run: Path) -> None:
    assert record(run, [claim("e", "nbiot", n="5")])[0].endswith("5 seeds, the full study 10")
    assert record(run, [claim("e", "nbiot", n="10")])[0] == "nbiot: 1 claims of all trials"


def test_the_readme_quotes_the_full_run(run: Path) -> None:
    assert full_runs.sentence(run / "data/full") == ""
    lines = record(run, [claim("a"), claim("b", verdict="contradicted")])
    commit = git(run, "rev-parse", "HEAD")[:8]
    assert lines[-1] == (
        f"README: In the full run of {lines[0].split(':')[0]} (commit {commit}) 1 of 2 statements "
        "are reproduced, 0 not, 1 contradicted; the lab cannot decide 0."
    )
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert full_runs.sentence() in readme  # of what the repository has recorded


def test_a_checkout_that_differs_from_its_commit_is_refused(run: Path) -> None:
    (run / "sim/nbiot/config/full/study.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"study.json: differs from the commit"):
        record(run, [claim("a")])
