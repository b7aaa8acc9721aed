"""Does `thinwire hunt` find a defect that a client has on purpose, and shrink it to one fault?"""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hil import cli
from hil.base.documents import read_yaml
from hil.bundle import store
from hil.commands import hunt_state
from hil.design import tryfile
from hil.machine.uml import kernel

pytestmark = pytest.mark.lab

PROGRAMS = Path(__file__).parents[1] / "support" / "programs"
TEXT = """\
device: {script: forgetful.py, arguments: ["{server}", "{port}", "{id}", "{topic}"]}
server: mosquitto
duration_s: 12
expect: {delivered: 100 %}
"""
ENGINE = """\
device: {engine: mqtt-qos1}
parameters: {payload_bytes: 30, interval_ms: 500}
duration_s: 12
expect: {outcome_ok: 1}
"""


def hunt(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """Run the command; return its document, after checking its exit status against it."""
    if why := kernel.why_not():
        pytest.fail(why)
    status = cli.main(["hunt", str(folder), "--for", "10m", "--json", *words])
    found = capsys.readouterr()
    assert status in {0, 1}, found.err
    document: dict[str, Any] = json.loads(found.out)
    assert bool(document["finds"]) == (status == 1)
    assert document["lab_failures"] == [] and document["unsteady"] == []
    return document


def test_a_lost_message_is_found_shrunk_and_fails_in_a_try(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(PROGRAMS / "forgetful.py", tmp_path)
    (tmp_path / tryfile.FILE).write_text(TEXT)
    (tmp_path / "thinwire-out" / "hunt" / "corpus").mkdir(parents=True)
    two = [
        {"kind": "nat_rebind", "at_s": 6.3},
        {"kind": "delay", "at": {"packet": "PUBACK", "number": 3, "from": "server"}},
    ]
    hunt_state.keep(two, [], tmp_path / "thinwire-out" / "hunt")
    document = hunt(tmp_path, capsys, "--schedules", "1", "--only", "delivered")
    (find,) = document["finds"]
    (fault,) = find["faults"]
    assert fault["kind"] == "nat_rebind"
    assert find["expected"] == "delivered: 100 %" and find["duration_s"] < 12
    folder = Path(find["folder"])
    assert read_yaml(folder / tryfile.FILE)["faults"] == find["faults"]
    assert find["measured"] in (folder.parent / f"{folder.name}.txt").read_text()
    sums = Path(find["capture"]).with_name(store.SUMS)
    before = sums.read_bytes()
    assert cli.main(["try", str(folder)]) == 1
    assert "FAIL" in capsys.readouterr().out
    assert sums.read_bytes() == before

    again = hunt(tmp_path, capsys, "--schedules", "1", "--only", "delivered")
    assert again["finds"] == document["finds"] and again["schedules"] == 1


def test_a_search_knows_what_the_device_has_executed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / tryfile.FILE).write_text(ENGINE)
    document = hunt(tmp_path, capsys, "--schedules", "3")
    assert document["functions"]["executed"] < document["functions"]["known"]
    with (tmp_path / "thinwire-out" / "hunt" / "coverage.csv").open() as table:
        executed = {row["function"]: int(row["executed_bytes"]) for row in csv.DictReader(table)}
    assert executed["tcp_input"] > 0 and executed["tw_coap_start"] == 0
    assert sum(executed.values()) > 2 * document["instructions"] > 0
