"""Does a repetition count what it must: runs that differ, are begun again, or have no bundle?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hil.base.errors import LabError, TransientHostError
from hil.rig.request import TrialReport, TrialRequest
from hil.selfcheck import determinism
from hil.system.progress import Progress, in_silence
from hil.testbeds import runner
from hil.testbeds.base import Result, Testbed


class Fake(Testbed):
    """Gives a bundle of one line, another one in the run `other`; is killed once before `killed`,
    and fails in `failed`. Runs count from 1."""

    name = "virtual"

    def __init__(self, other: int = 0, killed: int = 0, failed: int = 0) -> None:
        self.runs, self._other, self._killed, self._failed = 0, other, killed, failed

    def prepare(self) -> None:
        return

    def run(
        self, request: TrialRequest, timeout_s: float, progress: Progress = in_silence
    ) -> Result:
        if self._killed == self.runs + 1:
            self._killed = 0
            raise TransientHostError("killed")
        self.runs += 1
        if self.runs == self._failed:
            raise LabError("the machine is not done after 1 s")
        stamp = 1577836801 + (self.runs == self._other)
        line = (
            f'{{"t":{stamp}.000000256,"nonce":"{request.nonce}","server":"mosquitto","ev":"x"}}\n'
        )
        return Result({"server.jsonl": line.encode()}, TrialReport())


def repeated(place: Fake, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    (tmp_path / "firmware").touch()
    monkeypatch.setitem(runner.FIRMWARE, "lx106", tmp_path / "firmware")
    monkeypatch.setattr(runner, "testbed", lambda *_, **__: place)
    monkeypatch.setattr(sys, "argv", ["repeat", "--busy", "0", "--duration", "1", *words.split()])
    return determinism.main()


def test_runs_that_agree_are_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert repeated(Fake(), "--runs 5 --at-once 2", tmp_path, monkeypatch) == 0
    said = capsys.readouterr().out.splitlines()
    assert len({line.split()[1] for line in said[:5]}) == 1
    assert said[5].endswith(": 1 different, 0 begun again, 0 without a bundle")


def test_a_run_that_differs_is_told_with_the_first_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert repeated(Fake(other=3), "--runs 4", tmp_path, monkeypatch) == 1
    said = capsys.readouterr().out
    assert "first difference at 1577836801.000000256 s, mosquitto, event 1:" in said
    assert "2 different, 0 begun again, 0 without" in said


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (Fake(killed=2), "1 different, 1 begun again, 0 without"),
        (Fake(failed=2), "1 different, 0 begun again, 1 without"),
        (Fake(killed=1, failed=1), "1 different, 1 begun again, 1 without"),
    ],
    ids=["killed", "failed", "both"],
)
def test_a_run_that_is_begun_again_or_lost_counts(
    place: Fake,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert repeated(place, "--runs 3", tmp_path, monkeypatch) == 1
    assert expected in capsys.readouterr().out
