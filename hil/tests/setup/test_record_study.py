"""Are the results of a study kept with what their claims need, and with their origin?"""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.base.paths import ROOT

spec = importlib.util.spec_from_file_location("record_study", ROOT / "tools/record_study.py")
record_study = importlib.util.module_from_spec(spec)
spec.loader.exec_module(record_study)


def _study(root: Path) -> None:
    tables = {
        "metrics": "study,trial,metric,value,unit,n\ns,a,x,1,,1\ns,a,y,2,,1\ns,b,x,3,,1\n",
        "factors": "study,trial,factor,value\ns,a,board,lx106\ns,b,board,lx106\n"
        "s,a,nagle,1\ns,b,nagle,1\ns,a,payload_bytes,10\ns,b,payload_bytes,20\n",
    }
    for name, text in tables.items():
        (root / "results" / name).mkdir(parents=True)
        (root / "results" / name / "s.csv").write_text(text)
    for trial in "ab":
        (root / "data/raw/s" / trial).mkdir(parents=True)
        (root / "data/raw/s" / trial / "SHA256SUMS").write_text(trial)


def test_named_metrics_and_telling_factors_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _study(tmp_path)
    monkeypatch.setattr(record_study, "ROOT", tmp_path)
    record_study.record("s", ["x"], "commit abc")
    kept = tmp_path / "data/measured/s"
    with (kept / "metrics.csv").open() as file:
        assert [(row["trial"], row["value"]) for row in csv.DictReader(file)] == [
            ("a", "1"),
            ("b", "3"),
        ]
    with (kept / "factors.csv").open() as file:
        factors = {(row["trial"], row["factor"]): row["value"] for row in csv.DictReader(file)}
    assert {name for _, name in factors} == {"board", "payload_bytes", "measured_at", "digest"}
    assert factors["a", "measured_at"] == "commit abc"
    assert factors["a", "digest"] != factors["b", "digest"]
    with pytest.raises(InputError, match="is no metric"):
        record_study.record("s", ["z"], "commit abc")
