"""Does `thinwire summary` list the existing results, and only those?"""

import csv
import json
from pathlib import Path

import pytest

from hil import cli
from hil.commands import claims, project, summary


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    with Path(project.CLAIMS).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, claims.Claim._fields, restval="")
        writer.writeheader()
        words = ("reproduced", "reproduced", "contradicted")
        writer.writerows({"verdict": word, "counts_as": word} for word in words)
    for trial in ("a", "b"):
        (tmp_path / "data/raw/s" / trial).mkdir(parents=True)
        (tmp_path / "data/raw/s" / trial / "lab.json").touch()
    Path(summary.PAPER).touch()
    return tmp_path


def test_five_lines_say_what_was_made(results, capsys):
    Path(summary.PAGE).parent.mkdir()
    Path(summary.PAGE).touch()
    assert cli.main(["summary", "--since", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert lines[0] == "made      paper.pdf, index.html, 3 verdicts, from 2 bundles"
    assert lines[1].endswith("results/report/index.html, results/claims.csv, data/raw")
    assert lines[3] == "verdicts  2 reproduced, 1 contradicted"
    assert "results/report/index.html" in lines[4]


def test_what_is_not_there_is_not_named(results, capsys):
    cli.main(["summary"])
    out = capsys.readouterr().out
    assert "index.html" not in out
    assert "took" not in out


def test_machines_get_counts(results, capsys):
    assert cli.main(["summary", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["bundles"] == 2
    assert found["verdicts"] == {"reproduced": 2, "contradicted": 1}
    assert found["files"] == ["results/paper.pdf", "results/claims.csv"]
