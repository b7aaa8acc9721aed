"""Which names does `thinwire new` accept, and does it leave existing files alone?

workflow/tests/test_additions.py builds and runs the new files.
"""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from hil import cli
from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.commands import scaffold
from hil.design.protocols import protocols
from hil.design.studies import load_study
from hil.peers import SERVERS


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("study ../../etc", "is not a valid name of a study"),
        ("study Upper", "is not a valid name of a study"),
        (f"study {'x' * 33}", "is not a valid name of a study"),
        ("study smoke", "exists"),
        ("study fresh --mode mqtt-qos9", "'mqtt-qos9' is no mode"),
        ("protocol a/b", "is not a valid name of a protocol"),
        ("protocol a-b", "is not a valid name of a protocol"),
        ("protocol mqtt", "exists"),
        ("protocol paho", "exists"),
        ("protocol while", "is a reserved word"),
        ("protocol lambda", "is a reserved word"),
        ("protocol time", "is a reserved word"),
        ("protocol message", "is in use"),  # struct tw_message
        ("protocol log", "is in use"),  # hil/peers/log.py
        ("server ../up --of udp", "is not a valid name of a server"),
        ("server fresh --of upd", "no such protocol; did you mean 'udp'?"),
        ("server codec --of udp", "hil/peers/raw/codec.py: exists"),
    ],
)
def test_a_name_that_will_not_do(
    words: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", *words.split()]) == 2
    said = capsys.readouterr().err
    assert problem in said and said.count("\n") == 1


def test_nothing_is_written_where_a_file_is_in_the_way(tmp_path) -> None:
    (tmp_path / "b").write_text("mine")
    with pytest.raises(InputError, match="b: exists"):
        scaffold.Change({"a": "new", "b": "new"}, {"c": "new"}).write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    assert (tmp_path / "b").read_text() == "mine"


@pytest.mark.parametrize("name", ["aaa", "knock", "zzz"])
def test_a_line_goes_where_its_order_says(name: str) -> None:
    change = scaffold.protocol(name)
    registry = change.changed[scaffold.REGISTRY].splitlines()
    was = (ROOT / scaffold.REGISTRY).read_text(encoding="utf-8").splitlines()
    engines = [line for line in registry if line.startswith("    E(")]
    assert engines == sorted(engines)
    assert [line.endswith("\\") for line in engines] == [True] * (len(engines) - 1) + [False]
    assert {len(line) for line in engines[:-1]} == {100}
    added = {line.rstrip(" \\") for line in registry} - {line.rstrip(" \\") for line in was}
    assert added == {f'#include "core/protocols/{name}/{name}.h"', f"    E({name}, {name})"}
    peers = change.changed[scaffold.PEERS].splitlines()
    keys = [line for line in peers if line.startswith('        "')]
    assert keys == sorted(keys)


def test_a_second_peer_stands_in_the_room_of_its_protocol() -> None:
    for protocol in protocols():
        (made,) = scaffold.server("fresh", protocol).made
        assert (ROOT / made).parent == Path(inspect.getfile(SERVERS[protocol])).parent


def test_a_question_is_text_whatever_it_holds() -> None:
    change = scaffold.study("fresh", 'Is "MODES": # {NAME} faster?', ["udp"])
    (text,) = change.made.values()
    assert r'question: "Is \"MODES\": # {NAME} faster?"' in text
    assert "mode: [udp-plain, udp-ack]" in text


@pytest.mark.parametrize(("modes", "nagle"), [(["mqtt-qos1", "coap-con"], True), (["coap"], False)])
def test_a_new_study_is_over_the_cell_and_each_constant_applies(tmp_path, modes, nagle) -> None:
    change = scaffold.study("fresh", "Why?", modes)
    (text,) = change.made.values()
    (tmp_path / "fresh.yaml").write_text(text, encoding="utf-8")
    trials = load_study(tmp_path / "fresh.yaml").trials("quick")
    assert {trial.parameters["link"] for trial in trials} == {"air"}
    assert ("nagle" in text) == nagle
