"""Does `thinwire claims` answer from what is shipped until a build has a table of its own?"""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hil import cli
from hil.base.paths import ROOT
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
    """The current folder is a project without results; its full run has one claim. No build's
    table is shipped."""
    (tmp_path / "data" / "raw").mkdir(parents=True)
    folder = tmp_path / "data" / "full"
    write(folder / "claims.csv", full_runs.CLAIMS, ROW)
    write(folder / "studies.csv", full_runs.STUDIES, STUDY)
    monkeypatch.setattr(claims_table, "FULL", folder)
    monkeypatch.setattr(claims_table, "SHIPPED", tmp_path / "data" / "shipped")
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


@pytest.fixture
def shipped(full: Path) -> Path:
    """Beside the full run, a build's table is shipped: the same claim with another verdict."""
    row = {**ROW, "verdict": "too few runs", "counts_as": "too few runs", "ours": "2000"}
    row |= {"kind": "repetition", "counted": "once"}
    write(claims_table.SHIPPED / "claims.csv", Claim._fields, row)
    build = {"commit": "fedcba9876543210", "date": "2026-01-03"}
    (claims_table.SHIPPED / "claims.json").write_text(json.dumps(build), encoding="utf-8")
    return claims_table.SHIPPED


def test_a_shipped_build_answers_with_the_verdicts_of_the_full_run(shipped, capsys):
    assert cli.main(["claims", ROW["claim"]]) == 0
    out = capsys.readouterr().out
    assert "verdict    too few runs" in out
    assert "full run   reproduced, 3000 bytes (commit 01234567)" in out
    assert out.splitlines()[-1] == (
        "Shipped results of commit fedcba987654 (2026-01-03), and of the full run of ufes, commit "
        "0123456789ab (2026-01-02); 'make paper' decides all claims, and replaces them."
    )
    assert cli.main(["claims", "--counts"]) == 0
    assert "1 by repetition: 1 reproduced" in capsys.readouterr().out


def test_a_full_run_under_another_rule_does_not_count(shipped, full, capsys):
    write(full / "claims.csv", full_runs.CLAIMS, ROW | {"rule": "engine_ram_bytes < 1"})
    assert cli.main(["claims", "--counts"]) == 0
    assert "1 by repetition: 1 too few runs" in capsys.readouterr().out


def test_the_class_of_an_error_is_no_part_of_a_rule(shipped, full, capsys):
    rule = "m within the lab's error"
    for path, names in ((shipped, Claim._fields), (full, full_runs.CLAIMS)):
        row = ROW | {"rule": f"{rule}, {path.name}", "kind": "repetition", "counted": "once"}
        write(path / "claims.csv", names, row)
    assert cli.main(["claims", "--counts"]) == 0
    assert "1 by repetition: 1 reproduced" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rules", "verdict", "counts"),
    [
        (("m ", "m within the lab's error"), "another condition", "reproduced"),
        (("m > 3", "m > 3; counts from 1 ms on"), "not testable", "reproduced"),
        (("m > 3", "m < 3; counts from 1 ms on"), "not testable", "not testable"),
    ],
)
def test_a_rule_without_results_or_class_is_the_same(shipped, capsys, rules, verdict, counts):
    row = ROW | {"rule": rules[0], "verdict": verdict, "counts_as": verdict}
    row |= {"kind": "repetition", "counted": "once"}
    write(shipped / "claims.csv", Claim._fields, row)
    write(claims_table.FULL / "claims.csv", full_runs.CLAIMS, ROW | {"rule": rules[1]})
    assert cli.main(["claims", "--counts"]) == 0
    assert f"1 by repetition: 1 {counts}" in capsys.readouterr().out


def test_a_shipped_table_without_its_build_is_refused(shipped, capsys):
    (shipped / "claims.json").unlink()
    assert cli.main(["claims", "--counts"]) == 2
    err = capsys.readouterr().err
    assert "claims.json" in err and "restore it from git" in err


def test_what_the_project_ships_is_of_one_of_its_commits():
    build = json.loads((claims_table.SHIPPED / "claims.json").read_text(encoding="utf-8"))
    words = ["git", "-C", str(ROOT), "show", "-s", "--format=%H %cs", build["commit"]]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert shown == [build["commit"], build["date"]]
    stated = claims_table.entries()
    claims = claims_table.read(claims_table.SHIPPED / "claims.csv")
    assert any(claim.claim in stated for claim in claims)


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
