"""Does `thinwire nbiot check` report what it found?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil import cli

pytestmark = pytest.mark.lab  # it runs build/sim/nbiot/nbiot


def test_a_study_without_an_error_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["nbiot", "check", "quick/study"]) == 0
    assert capfd.readouterr().out.endswith("quick/study.json: no error\n")


def test_a_wrong_study_is_an_input_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "study.json"
    file.write_text('{"cells": 0}', encoding="utf-8")
    assert cli.main(["nbiot", "check", str(file)]) == 2
    said = capfd.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert str(file) in said.err
