"""Has the table of intervals the values that `thinwire ask --sleep deep` answers with?"""

from __future__ import annotations

import json

import pytest

from hil import cli
from hil.base.documents import read_json
from hil.commands import ask, ask_deep, recommend
from hil.selfcheck import wake_intervals


def table() -> list[dict[str, str]]:
    document = recommend.read(ask.SHIPPED) | {"wakes": read_json(ask_deep.SHIPPED, "")}
    return list(wake_intervals.rows(document))


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, ("--join", "cached")),
        (7, ("--join", "scan", "--address", "dhcp", "--lookups")),
        (10, ("--join", "scan", "--tls", "forgotten")),
    ],
)
def test_a_row_is_the_answer_to_its_question(
    number: int, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    question = ("ask", "--payload", "30", "--interval", "60", "--model", str(ask.SHIPPED))
    deep = ("--sleep", "deep", "--modes", wake_intervals.MODE, "--json")
    assert cli.main([*question, *deep, *words]) == 0
    sentence = json.loads(capsys.readouterr().out)["sentence"]
    row = table()[number]
    for name in ("modem sleep", "light sleep"):
        assert f"{name} from {row[f'cheaper than {name} from, s']} s" in sentence


def test_every_way_of_waking_has_a_row() -> None:
    found = table()
    levels = ("join", "address", "name and time", "TLS session")
    assert len({tuple(row[name] for name in levels) for row in found}) == len(wake_intervals.WAYS)
