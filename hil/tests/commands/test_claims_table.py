"""Does `thinwire claims` answer from the recorded full run until a build has a table of its own?"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from hil import cli
from hil.commands import claims_table, full_runs
from hil.commands.claims_list import Claim

ROW = {
    "claim": "ufes-table-constrained-mqtt",
    "study": "ufes",
    "rule": "engine_ram_bytes < 80000",
    "verdict": "reproduced",
    "ours": "3000",
    "unit": "bytes",
    "statement": "As the run had it.",
    "trials": "t_r1 t_r2",
}
STUDY = {"study": "ufes", "profile": "full", "commit": "0123456789abcdef", "date": "2026-01-02"}
# The columns of the records that were made before a row had its statement.
OLD = ("claim", "study", "rule", "verdict", "reason", "ours", "n", "low", "high", "counted")


def write(path: Path, names: Any, row: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerow(row)


@pytest.fixture
def full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder is a project without results; its full run has one claim."""
    (tmp_path / "data" / "raw").mkdir(parents=True)
    folder = tmp_path / "data" / "full"
    write(folder / "claims.csv", full_runs.CLAIMS, ROW)
    write(folder / "studies.csv", full_runs.STUDIES, STUDY)
    monkeypatch.setattr(claims_table, "FULL", folder)
    monkeypatch.chdir(tmp_path)
    return folder


def test_without_a_build_the_full_run_answers_with_commit_and_date(full, capsys):
    assert cli.main(["claims", ROW["claim"]]) == 0
    out = capsys.readouterr().out
    assert "statement  As the run had it." in out
    assert "full run   reproduced, 3000 bytes (commit 01234567)" in out
    assert "data/raw/ufes/t_r2" in out
    assert out.splitlines()[-1].startswith(
        "Shipped results of the full run of ufes, commit 0123456789ab (2026-01-02); 'make paper'"
    )


def test_a_build_of_ones_own_replaces_it(full, capsys):
    own = dict.fromkeys(Claim._fields, "") | {"claim": "mine", "verdict": "contradicted"}
    write(Path("results/claims.csv"), Claim._fields, own)
    assert cli.main(["claims"]) == 0
    out = capsys.readouterr().out
    assert "mine" in out and ROW["claim"] not in out and "Shipped" not in out


def test_an_older_record_has_the_statements_of_the_sources(full, capsys):
    write(full / "claims.csv", OLD, ROW)
    assert cli.main(["claims", "--json"]) == 0
    done = capsys.readouterr()
    (claim,) = json.loads(done.out)
    assert claim["statement"].startswith("MQTT: It suits a device with less than 80 KBytes")
    assert (claim["source"], claim["needs"]) == ("ufes2018", "library, memory")
    assert "Shipped results" in done.err


def test_a_record_that_lacks_its_studies_is_refused(full, capsys):
    (full / "studies.csv").unlink()
    assert cli.main(["claims", "--counts"]) == 2
    assert "studies.csv: cannot be read" in capsys.readouterr().err


def test_the_sources_state_what_each_of_their_claims_says():
    stated = claims_table.entries()
    assert stated["ufes-table-constrained-mqtt"]["section"] == "Table 1"
    assert all(claim["statement"] and claim["section"] for claim in stated.values())
