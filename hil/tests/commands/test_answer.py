"""Does `thinwire ask` answer in a sentence, and name ties, baselines and hidden modes?"""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from hil import cli
from hil.base.paths import ROOT
from hil.commands import ask, ranking, recommend
from hil.commands.recommend import Question
from hil.tests.support.answers import asked

IDLE = ("--payload", "40", "--interval", "60")


def test_the_answer_is_a_sentence_with_value_and_what_is_not_separated(capsys, model):
    _, out, _ = asked(capsys, model, *IDLE, "--by", "bytes")
    said = out.splitlines()[0]
    assert re.fullmatch(
        r"By bytes: CoAP CON, 11[0-9] \[[0-9]+, [0-9]+\] bytes\. "
        r"Next: MQTT QoS 2, 21[0-9] \[[0-9]+, [0-9]+\] bytes\.",
        said,
    ), said
    # awake, a battery lasts as long with every mode
    _, out, _ = asked(capsys, model, *IDLE)
    assert out.startswith("By battery: no difference. The trials do not separate ")


def test_a_difference_below_the_least_is_a_tie_and_another_is_not(model):
    document = recommend.read(model)
    question = Question(40, 60, weights={"bytes": 1, "delivered": 1})
    rows = ranking.rank(document, question)
    assert [row.tied for row in rows if not row.baseline] == [False, False]
    document["least"] = 1.0
    rows = ranking.rank(document, question)
    assert [row.tied for row in rows if not row.baseline] == [False, True]


def test_a_raw_protocol_never_wins_unless_it_is_named(capsys, model):
    _, out, _ = asked(capsys, model, *IDLE, "--by", "bytes", "--json")
    answer = json.loads(out)
    assert [row["mode"] for row in answer["answer"]] == ["coap-con", "mqtt-qos2", "udp-plain"]
    assert [row["baseline"] for row in answer["answer"]] == [False, False, True]
    assert "UDP" not in answer["sentence"]
    _, out, _ = asked(capsys, model, *IDLE, "--by", "ram", "--modes", "udp", "--json")
    assert json.loads(out)["sentence"].startswith("By ram: raw UDP, ")


def test_only_the_named_modes_are_compared(capsys, model):
    _, out, _ = asked(capsys, model, *IDLE, "--modes", "mqtt", "udp-plain", "--json")
    assert {row["mode"] for row in json.loads(out)["answer"]} == {"mqtt-qos2", "udp-plain"}
    status, _, err = asked(capsys, model, *IDLE, "--modes", "carrier-pigeon")
    assert (status, "--modes: 'carrier-pigeon' is no mode" in err) == (2, True)


def test_what_is_hidden_is_announced(capsys, model, tmp_path):
    document = recommend.read(model)
    first = document["modes"][0]
    document["modes"] += [{**first, "label": f"copy {i}"} for i in range(10)]
    wide = tmp_path / "wide.json"
    wide.write_text(json.dumps(document), encoding="utf-8")
    _, out, _ = asked(capsys, wide, *IDLE, "--by", "bytes")
    assert "5 more with --all: copy " in out
    assert sum(" (baseline)" in line for line in out.splitlines()) == 1
    _, out, _ = asked(capsys, wide, *IDLE, "--by", "bytes", "--all")
    assert "more with --all" not in out


@pytest.mark.parametrize(("word", "seconds"), [("60", 60), ("30s", 30), ("1min", 60), ("0.5", 0.5)])
def test_an_interval_is_a_time(capsys, model, word, seconds):
    _, out, _ = asked(capsys, model, "--payload", "40", "--interval", word, "--json")
    assert json.loads(out)["question"]["interval"] == seconds


def test_without_a_build_the_shipped_models_answer_and_name_their_commit(
    capsys, model, tmp_path, monkeypatch
):
    document = recommend.read(model)
    build = {"commit": "0123456789abcdef", "date": "2026-01-02"}
    shipped = tmp_path / "shipped.json"
    shipped.write_text(json.dumps({**document, "build": build}), encoding="utf-8")
    (tmp_path / "data" / "raw").mkdir(parents=True)
    monkeypatch.setattr(ask, "SHIPPED", shipped)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["ask", *IDLE]) == 0
    assert "Shipped results of commit 0123456789ab (2026-01-02)" in capsys.readouterr().out
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "decide.json").write_text(json.dumps(document), encoding="utf-8")
    assert cli.main(["ask", *IDLE]) == 0
    assert "Shipped" not in capsys.readouterr().out


@pytest.mark.skipif(not ask.SHIPPED.is_file(), reason="no models are shipped")
def test_what_is_shipped_answers_the_question_of_the_readme(capsys, tmp_path, monkeypatch):
    (tmp_path / "data" / "raw").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (words,) = re.findall(r"`thinwire (ask [^`]*)`", text)
    assert cli.main(words.split()) == 0
    out = capsys.readouterr().out
    assert out.startswith("By battery: ")
    commit = json.loads(ask.SHIPPED.read_text(encoding="utf-8"))["build"]["commit"]
    assert f"Shipped results of commit {commit[:12]} (" in out
    known = ["git", "-C", str(ROOT), "cat-file", "-t", commit]
    assert subprocess.run(known, capture_output=True, check=True).stdout == b"commit\n"
