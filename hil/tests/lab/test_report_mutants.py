"""Clients with the faults of public bug reports (firmware/tests/reports): is each noticed by the
expectation of its trial, and does the same trial hold without the fault?"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hil import cli
from hil.base.paths import ROOT
from hil.machine.uml import kernel

SOURCE = ROOT / "firmware" / "tests" / "reports.py"


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reports", SOURCE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TOOL = _tool()
NAMES = TOOL.names()


@pytest.mark.parametrize("name", NAMES)
def test_a_change_applies_and_the_trial_has_at_most_three_faults(name: str) -> None:
    report = TOOL.read(name)
    assert TOOL.changed(report)
    assert len(report.trial.get("faults", ())) <= 3
    assert report.breaks in report.trial["expect"]


def test_a_change_that_does_not_apply_is_an_error_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (TOOL.REPORTS / "ping-late.yaml").read_text("utf-8").replace("TW_MS(750)", "TW_MS(7)")
    (tmp_path / "other.yaml").write_text(text, "utf-8")
    monkeypatch.setattr(TOOL, "REPORTS", tmp_path)
    with pytest.raises(TOOL.Unusable, match=r"other: core/protocols/mqtt/mqtt\.c: .* is not there"):
        TOOL.changed(TOOL.read("other"))
    with pytest.raises(TOOL.Unusable, match="unknown: no such report; give one of other"):
        TOOL.read("unknown")


def tried(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, bool]:
    """Run a folder's trial, which must go well; return of each expectation whether it holds."""
    if why := kernel.why_not():
        pytest.fail(why)
    cli.main(["try", str(folder), "--json"])
    found = capsys.readouterr()
    document: dict[str, Any] = json.loads(found.out)
    (trial,) = document["trials"]
    assert trial["outcome"] == "ok", found.err
    return {row["metric"]: row["pass"] for row in document["expectations"]}


@pytest.mark.lab
@pytest.mark.parametrize("name", NAMES)
def test_the_fault_of_a_report_is_noticed_and_the_sound_client_is_not(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = TOOL.read(name)
    TOOL.make(report, tmp_path / "broken")
    TOOL.make(report, tmp_path / "sound", sound=True)
    assert tried(tmp_path / "broken", capsys)[report.breaks] is False
    assert all(tried(tmp_path / "sound", capsys).values())
