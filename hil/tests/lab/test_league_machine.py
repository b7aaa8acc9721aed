"""Do the clients of the league that set-up can build run in the laboratory, and repeat?"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from hil.base.documents import read_yaml
from hil.machine.uml import kernel
from hil.selfcheck import league

pytestmark = pytest.mark.lab
LEAGUE = read_yaml(league.FOLDER / "league.yaml")


def case(name: str) -> dict[str, object]:
    return {**LEAGUE, "cases": {name: LEAGUE["cases"][name]}}


@pytest.mark.parametrize("name", ["libmosquitto", "coap-client"])
def test_a_client_delivers_all_in_spite_of_a_restart(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if why := kernel.why_not():
        pytest.fail(why)
    assert league.table([name], case("server away"), tmp_path, 0) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["delivered"], row["acknowledged"], row["refused"]) == ("40", "40", "0")
    assert float(row["back_after_outage_s"]) > 0


def test_two_trials_of_a_client_have_one_digest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if why := kernel.why_not():
        pytest.fail(why)
    assert league.table(["libmosquitto"], case("both away"), tmp_path, 2) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["runs"], row["digests"]) == ("2", "1")
