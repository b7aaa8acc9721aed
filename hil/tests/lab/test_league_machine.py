"""Do the clients of the league that set-up can build run in the laboratory, and repeat?"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from hil.base.documents import read_yaml
from hil.machine.uml import kernel
from hil.selfcheck import league, league_servers
from hil.testbeds import runner

pytestmark = pytest.mark.lab
LEAGUE = read_yaml(league.FOLDER / "league.yaml")


def case(name: str) -> dict[str, object]:
    """Return one case, without servers that set-up does not install."""
    servers = {"clients": {"mqtt": [], "coap": []}, "cases": [name]}
    return {**LEAGUE, "cases": {name: LEAGUE["cases"][name]}, "servers": servers}


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
    assert (tmp_path / row["bundle"] / "wire.pcapng.gz").is_file()


def test_a_client_delivers_all_to_a_foreign_server_that_restarts(tmp_path: Path) -> None:
    if why := kernel.why_not():
        pytest.fail(why)
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "broker.conf").write_text("listener 1883\nallow_anonymous true\n")
    (folder / league_servers.FILE).write_text(
        "{protocol: mqtt, port: 1883, program: mosquitto, arguments: [-c, broker.conf],"
        " files: [broker.conf], build: 'true'}\n"
    )
    testbed = runner.testbed("virtual", machine="uml")
    testbed.prepare()
    pair = "libmosquitto", league_servers.read("own", tmp_path)
    (row,) = league.rows(pair, case("server away"), testbed, tmp_path, 0)
    found = dict(zip(LEAGUE["metrics"], row[4:], strict=False))
    assert row[:4] == ["libmosquitto", "own", "mqtt", "server away"]
    assert found["delivered"] == "40"
    assert float(found["back_after_outage_s"]) > 0


def test_two_trials_of_a_client_have_one_digest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if why := kernel.why_not():
        pytest.fail(why)
    assert league.table(["libmosquitto"], case("both away"), tmp_path, 2) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["runs"], row["digests"]) == ("2", "1")
