"""Does `thinwire trial` say how long trials take, and where and of what kind bundles are?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hil import cli
from hil.base.errors import ToolMissing
from hil.bundle import payloads, verify
from hil.bundle import store as bundle
from hil.commands import pace, trial_run
from hil.design.studies import load_study
from hil.testbeds import runner
from hil.testbeds.runner import Done, lasts_s
from hil.tests.support.bundles import LAB


class Ready:
    """A testbed that is ready; `run` of the runner is replaced, so that it is never asked."""

    def prepare(self) -> None:
        pass


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Trials that end at once, the second one badly; a pace of the host in a file of its own."""
    outcomes = iter([("ok", ""), ("failed", "the device restarted")])

    def run(trial, testbed, out, timeout, progress):
        outcome, reason = next(outcomes)
        return Done(out / trial.study / trial.id, outcome, reason)

    monkeypatch.setattr(runner, "testbed", lambda name, **_: Ready())
    monkeypatch.setattr(trial_run.runner, "run", run)
    monkeypatch.setattr(pace, "FILE", tmp_path / "build" / "pace.json")


def test_a_run_ends_with_the_next_command(at_once, capsys, tmp_path):
    assert cli.main(["trial", "run", "smoke", "--out", str(tmp_path / "a b")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "2 trials, 6 s of virtual time; time unknown: this host has run no such trial"
    )
    assert "failed: the device restarted" in lines[2]
    assert lines[3] == f"next: thinwire analyze '{tmp_path}/a b/smoke/coap-con_duration3_r1'"
    assert len(json.loads(pace.FILE.read_text(encoding="utf-8"))) == 1


def test_a_run_for_machines_is_one_document(at_once, capsys, tmp_path):
    words = ["trial", "run", "smoke", "--out", str(tmp_path), "--json"]
    assert cli.main(words) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [row["outcome"] for row in rows] == ["ok", "failed"]
    assert rows[0]["took_s"] >= 0


def test_only_missing_trials_run(at_once, capsys, tmp_path):
    first = load_study("smoke").trials("quick")[0]
    (tmp_path / "smoke" / first.id).mkdir(parents=True)
    (tmp_path / "smoke" / first.id / "lab.json").write_text("{}", encoding="utf-8")
    words = ["trial", "run", "smoke", "--missing", "--out", str(tmp_path), "--json"]
    assert cli.main(words) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["trial"] != first.id


def test_the_estimate_is_the_line_through_what_this_host_took():
    trials = load_study("smoke").trials("quick")
    kind = pace._kind(trials[0])
    known = {kind: [(10.0, 3.0), (20.0, 5.0), (40.0, 9.0)]}
    assert pace.estimate_s(trials, known) == pytest.approx(
        sum(1 + 0.2 * lasts_s(trial.facts) for trial in trials)
    )
    assert pace.estimate_s(trials, {}) is None
    assert pace.estimate_s(trials, {kind: [(3.0, 2.0)]}) == pytest.approx(4)


def test_a_damaged_record_of_the_pace_counts_as_none(monkeypatch, tmp_path):
    monkeypatch.setattr(pace, "FILE", tmp_path / "pace.json")
    for text in ("", "[1]", '{"a": 1}', '{"a": [["x", "y"]]}'):
        pace.FILE.write_text(text, encoding="utf-8")
        assert pace.read() == {}


def test_verify_of_a_folder_without_bundles_says_so(capsys, tmp_path):
    (tmp_path / "raw").mkdir()
    assert cli.main(["trial", "verify", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "has no bundle in it or below it; name a bundle's" in err


def test_verify_goes_down_to_the_bundles(capsys, tmp_path):
    for name in ("a", "b"):
        (tmp_path / "raw" / name).mkdir(parents=True)
        (tmp_path / "raw" / name / "SHA256SUMS").write_text("", encoding="utf-8")
        (tmp_path / "raw" / name / "lab.json").write_text(json.dumps(LAB), encoding="utf-8")
    assert cli.main(["trial", "verify", str(tmp_path / "raw"), "--json"]) > 0
    rows = json.loads(capsys.readouterr().out)
    assert [Path(row["bundle"]).name for row in rows] == ["a", "b"]
    assert not any(row["valid"] for row in rows)


def test_verify_without_tshark_says_once_what_to_install(capsys, monkeypatch, tmp_path):
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / bundle.SUMS).touch()

    def lacking(folder):
        raise ToolMissing("tshark", "dissecting captures", "apt-get install tshark")

    monkeypatch.setattr(verify, "check", lacking)
    assert cli.main(["trial", "verify", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.count("apt-get install tshark") == said.count("\n") == 1


def test_a_capture_without_tshark_names_the_package(monkeypatch, tmp_path):
    monkeypatch.setattr(payloads.tools, "find", lambda _: None)
    with pytest.raises(ToolMissing, match=r"tshark: not found, .*; apt-get install tshark$"):
        payloads.captured(tmp_path / "wire.pcapng.gz")
