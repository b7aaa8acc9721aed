"""Does firmware/tests/hunt_reports.py count only finds that come from the fault of the report?
(The searches themselves need the laboratory: `make hunts`.)"""

from __future__ import annotations

import csv
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from hil.base.paths import ROOT

sys.path.insert(0, str(ROOT / "firmware" / "tests"))
hunt_reports = importlib.import_module("hunt_reports")
searching = importlib.import_module("searching")

NAME = "block-not-sent-again"
FINDS = [
    {"faults": [{"kind": "loss", "at_s": 1}], "duration_s": 30, "expected": "delivered: >= 29"},
    {"faults": [{"kind": "delay", "at_s": 2}], "duration_s": 20, "expected": "delivered: >= 29"},
]


class Answers(searching.Spent):
    """Answers as the commands would: the sound client holds under schedules of the kind `sound`."""

    sound = "delay"
    broken_anyway = False

    def thinwire(self, *words: str) -> tuple[int, dict[str, Any]]:
        self.wall_s += 1
        if words[0] == "hunt":
            count = int(words[words.index("--finds") + 1])
            return 1, {"schedules": 7 * count, "finds": FINDS[:count]}
        document = yaml.safe_load(Path(words[1], "thinwire.yaml").read_text("utf-8"))
        faults = document.get("faults", [])
        good = all(one["kind"] == self.sound for one in faults)
        if Path(words[1]).name == "client":
            good = not self.broken_anyway
        return 0, {"expectations": [{"name": "delivered", "pass": good}]}


@pytest.fixture
def row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return a function that searches the report, with these answers, and returns its row."""
    monkeypatch.setattr(hunt_reports, "WORK", tmp_path)
    monkeypatch.setattr(hunt_reports.reports, "build", lambda *_: None)

    def searched(**settings: Any) -> dict[str, str]:
        monkeypatch.setattr(hunt_reports, "Spent", type("Some", (Answers,), settings))
        found = hunt_reports.searched(hunt_reports.reports.read(NAME), 1, [])
        return dict(zip(hunt_reports.HEAD, found, strict=True))

    return searched


def test_a_find_that_the_sound_client_breaks_too_does_not_count(row: Any) -> None:
    found = row()
    assert (found["found"], found["schedules"], found["faults"]) == ("yes", "14", "1")
    assert found["schedule that was found"] == "{kind: delay, at_s: 2}"


def test_a_search_without_a_find_of_the_report_is_no_success(row: Any) -> None:
    found = row(sound="nothing")
    assert (found["found"], found["faults"], found["schedule that was found"]) == ("no", "0", "")


def test_what_breaks_without_faults_needs_no_search(row: Any) -> None:
    found = row(broken_anyway=True)
    assert (found["found"], found["schedules"]) == ("yes", "0")


def test_a_table_keeps_its_rows_and_replaces_one_of_the_same_name(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    searching.Table(file, ("client", "found")).put(["b", "no"])
    searching.Table(file, ("client", "found")).put(["a", "yes, at last"])
    again = searching.Table(file, ("client", "found"))
    again.put(["b", "yes"])
    assert again.has("a") and not again.has("c")
    with file.open(newline="") as text:
        assert [*csv.reader(text)] == [["client", "found"], ["a", "yes, at last"], ["b", "yes"]]
