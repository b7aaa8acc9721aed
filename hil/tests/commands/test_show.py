"""Does `thinwire show` print what a study found, and open its figures?"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from hil import cli
from hil.commands import show

METRICS = """study,trial,metric,value,unit,n
smoke,a,made,10,messages,10
smoke,a,delivered,9,messages,10
smoke,a,messages,10,messages,10
smoke,a,bytes_per_message,140,bytes,10
"""
FACTORS = """study,trial,factor,value
smoke,a,mode,coap-con
smoke,a,protocol,coap
smoke,a,outcome,ok
smoke,a,repetition,1
smoke,a,interval_ms,100
smoke,a,payload_bytes,40
"""


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder with results of the study `smoke`: 9 of 10 messages, one round trip."""
    for kind, text in (("metrics", METRICS), ("factors", FACTORS)):
        (tmp_path / "results" / kind).mkdir(parents=True)
        (tmp_path / "results" / kind / "smoke.csv").write_text(text, encoding="utf-8")
    (tmp_path / "results" / "samples").mkdir()
    with gzip.open(tmp_path / "results/samples/smoke.csv.gz", "wt", encoding="utf-8") as file:
        file.write("study,trial,sample,value\nsmoke,a,rtt_ms,4.25\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results"


def test_a_line_for_each_kind_of_trial_and_no_figure_is_said(results, capsys):
    assert cli.main(["show", "smoke"]) == 0
    out = capsys.readouterr().out
    (row,) = (line for line in out.splitlines() if line.startswith("CoAP CON"))
    assert row.split()[2:6] == ["100", "1", "90", "4.25"]
    assert "no figures" in out


def test_programs_get_the_summary_and_the_figures_files(results, capsys):
    (results / "reports" / "smoke").mkdir(parents=True)
    (results / "reports" / "smoke" / "rtt.pdf").write_bytes(b"%PDF-1.4\n")
    assert cli.main(["show", "smoke", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (row,) = found["trials"]
    assert (row["mode"], row["delivery_pct"], row["rtt_median"]) == ("CoAP CON", 90, 4.25)
    assert [Path(name).name for name in found["figures"]] == ["rtt.pdf"]


def test_figures_are_opened_in_one_page(results, capsys, monkeypatch):
    folder = results / "reports" / "smoke"
    folder.mkdir(parents=True)
    (folder / "rtt.pdf").write_bytes(b"%PDF-1.4\n")
    opened: list[str] = []
    monkeypatch.setattr(show.webbrowser, "open", lambda address: opened.append(address) or True)
    assert cli.main(["show", "smoke"]) == 0
    page = (results / "reports" / "smoke.html").read_text(encoding="utf-8")
    assert 'data="smoke/rtt.pdf"' in page and "CoAP CON" in page
    assert opened == [(results / "reports" / "smoke.html").as_uri()]


def test_a_client_of_other_authors_has_its_protocol_as_its_mode(results, capsys):
    table = results / "factors" / "smoke.csv"
    rows = [row for row in table.read_text(encoding="utf-8").splitlines() if ",mode," not in row]
    table.write_text("\n".join([*rows, ""]), encoding="utf-8")
    assert cli.main(["show", "smoke"]) == 0
    assert "\nCoAP  " in capsys.readouterr().out


def test_a_study_without_results_gets_the_command(results, capsys):
    assert cli.main(["show", "matrix"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "'studies=[matrix]' -- results/reports/matrix" in err


def test_without_a_study_the_page_is_opened_the_builds_or_the_wheels(tmp_path, capsys, monkeypatch):
    build, wheel = tmp_path / "build", tmp_path / "wheel"
    (build / "data/raw").mkdir(parents=True)
    monkeypatch.chdir(build)
    monkeypatch.setattr(show, "ROOT", wheel)
    opened: list[str] = []
    monkeypatch.setattr(show.webbrowser, "open", lambda address: opened.append(address) or True)
    assert cli.main(["show"]) == 2
    assert "results/report/index.html: is not there; make it: snakemake" in capsys.readouterr().err
    for top in (wheel, build):
        (top / "results/report").mkdir(parents=True)
        (top / "results/report/index.html").touch()
        assert cli.main(["show"]) == 0
    assert opened == [(top / "results/report/index.html").as_uri() for top in (wheel, build)]


def test_the_page_names_the_build_that_it_shows(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "results/report"
    folder.mkdir(parents=True)
    (folder / "index.html").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(show, "ROOT", tmp_path)
    (tmp_path / "data/raw").mkdir(parents=True)
    assert cli.main(["show", "--no-open"]) == 0
    assert "build  unknown" in capsys.readouterr().out
    built = "thinwire 0.1.0 (commit 0123456789ab of 2026-01-02)"
    (folder / "build.txt").write_text(f"{built}\n", encoding="utf-8")
    assert cli.main(["show", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["build"] == built
