"""Does `python -m hil.selfcheck.runtimes` count the runs that differ?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hil.base.errors import LabError
from hil.selfcheck import runtimes


@pytest.fixture(autouse=True)
def other(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Digests by the name of a run's folder, for those that differ; one condition alone."""
    found: dict[str, str] = {}

    def once(_folder: Path, _package: Path, out: Path) -> str:
        return found.get(out.name, "a" * 64)

    monkeypatch.setattr(runtimes, "once", once)
    monkeypatch.setattr(runtimes, "conditions", lambda: {"busy host": once})
    return found


def test_runs_that_agree_are_counted(tmp_path: Path) -> None:
    found = runtimes.measure(tmp_path, tmp_path, tmp_path, 3)
    assert runtimes.equal(found) == {"undisturbed": "3 of 3", "busy host": "1 of 1"}


def test_runs_that_differ_are_not(tmp_path: Path, other: dict[str, str]) -> None:
    other |= {"1": "b" * 64, "condition-0": "c" * 64}
    found = runtimes.measure(tmp_path, tmp_path, tmp_path, 3)
    assert runtimes.equal(found) == {"undisturbed": "2 of 3", "busy host": "0 of 1"}


@pytest.mark.parametrize(("differing", "status"), [({}, 0), ({"condition-0": "b" * 64}, 1)])
def test_the_exit_status_is_that_of_the_runs(
    capsys, monkeypatch, other: dict[str, str], differing: dict[str, str], status: int
) -> None:
    other |= differing
    monkeypatch.setattr(sys, "argv", ["runtimes", "python", "--runs", "2"])
    monkeypatch.setattr(runtimes.tries, "build", lambda _file, _command: None)
    monkeypatch.setattr(runtimes.tries, "packages", lambda *_: {"device": Path(__file__)})
    assert runtimes.main() == status
    head, row = capsys.readouterr().out.splitlines()
    assert head.startswith("example,") and row.endswith(f"2 of 2,{1 - status} of 1")


def test_an_example_that_cannot_run_is_named(capsys, monkeypatch) -> None:
    def fail(_file: Path, _command: str) -> None:
        raise LabError("no compiler")

    monkeypatch.setattr(sys, "argv", ["runtimes", "python"])
    monkeypatch.setattr(runtimes.tries, "build", fail)
    assert runtimes.main() == 1
    assert "python: no compiler" in capsys.readouterr().err


def test_each_example_of_a_program_is_among_them() -> None:
    assert {"c", "go", "java", "javascript", "python", "rust"} <= set(runtimes.programs())
    assert "lx106" not in runtimes.programs()
