"""`thinwire ask`: is its answer the one that R's regression gives, and does it know its limits?"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from hil import cli
from hil.design.studies import load_study
from hil.schema import ROOT
from hil.tests.answers import make_model

# What R says of CoAP's wire bytes and airtime: 40 bytes every 60 s beside others, asleep.
PREDICT = """
d <- read.csv("points.csv"); q <- data.frame(kb = 0.04, s = 60, web = 1, sleep = 1)
fit <- function(f) predict(lm(f, d), q, interval = "confidence")
cat(fit(y ~ kb + log10(s) + I(s >= 1) + web + sleep))
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model"))


def _ask(capsys, model: Path, *words: str) -> tuple[int, str, str]:
    status = cli.main(["ask", "--model", str(model), *words])
    done = capsys.readouterr()
    return status, done.out, done.err


BUSY = ("--payload", "40", "--interval", "60", "--load", "busy", "--sleep", "modem")


def test_the_answer_is_that_of_r(capsys, model):
    _, out, _ = _ask(capsys, model, *BUSY, "--json")
    answer = {row["mode"]: row for row in json.loads(out)["answer"]}
    said = subprocess.run(
        ["Rscript", "-e", PREDICT], cwd=model.parent, capture_output=True, text=True, check=True
    )
    fit, low, high = map(float, said.stdout.split())
    wire = answer["coap-con"]["bytes"]
    assert (wire["value"], wire["low"], wire["high"]) == pytest.approx((fit, low, high))


def test_a_battery_lasts_what_its_currents_take(capsys, model):
    _, out, _ = _ask(capsys, model, *BUSY, "--json", "--battery", "500")
    row = json.loads(out)["answer"][0]
    # asleep 15 mA, and a message every 60 s that keeps the radio (56 mA) awake for 100 ms
    message = row["charge"]["value"]
    assert message == pytest.approx(56 * 100 + 0.15 * row["bytes"]["value"], rel=1e-6)
    assert row["battery"]["value"] == pytest.approx(500 / (15 + message / 60e3) / 24)


def test_what_no_trial_tells_is_no_data_and_last(capsys, model):
    _, out, _ = _ask(capsys, model, *BUSY)
    assert out.splitlines()[4].startswith("raw UDP")
    assert "no data" in out.splitlines()[4]
    status, _, err = _ask(capsys, model, "--payload", "40", "--interval", "600")
    assert status == 2
    assert "--interval: 600: no trial has it: they go from 0.1 to 60 s" in err


def test_the_guarantee_is_kept(capsys, model):
    _, out, _ = _ask(capsys, model, *BUSY, "--qos", "at-least-once", "--json")
    assert {row["mode"] for row in json.loads(out)["answer"]} == {"coap-con", "mqtt-qos2"}
    _, out, _ = _ask(capsys, model, *BUSY, "--qos", "exactly-once", "--json")
    assert {row["mode"] for row in json.loads(out)["answer"]} == {"mqtt-qos2"}


def test_weights_turn_the_order_and_are_checked(capsys, model):
    _, out, _ = _ask(capsys, model, *BUSY, "--by", "bytes=3", "delivered", "--json")
    rows = json.loads(out)["answer"]
    assert [row["mode"] for row in rows][:2] == ["coap-con", "mqtt-qos2"]
    ratio = rows[1]["bytes"]["value"] / rows[0]["bytes"]["value"]
    assert rows[1]["score"] == pytest.approx(ratio**0.75)
    status, _, err = _ask(capsys, model, *BUSY, "--by", "beauty")
    assert status == 2
    assert "--by: beauty: names no quantity" in err


def test_a_decision_is_filed_with_the_commands_of_its_trials(capsys, model, tmp_path):
    record = tmp_path / "decision.md"
    _ask(capsys, model, *BUSY, "--record", str(record))
    text = record.read_text(encoding="utf-8")
    assert "Answer: CoAP CON." in text
    assert "thinwire trial run s --trial coap-con_40_1000_web_1 --out /tmp/again" in text


def test_a_study_of_the_question_is_written_and_holds(capsys, model):
    path = ROOT / "workflow" / "studies" / "of-a-test.yaml"
    try:
        status, out, _ = _ask(
            capsys, model, "--payload", "40", "--interval", "600", "--write-study", "of-a-test"
        )
        trials = load_study("of-a-test").trials("quick", "virtual")
    finally:
        path.unlink(missing_ok=True)
    assert status == 0
    assert "studies=[matrix,sensor,of-a-test]" in out
    assert len(trials) == 15
    assert {trial.parameters["interval_ms"] for trial in trials} == {600_000}


def test_a_model_that_is_none_is_told(capsys, tmp_path):
    status, _, err = _ask(capsys, tmp_path / "none.json", "--payload", "1", "--interval", "1")
    assert status == 2
    assert "make it: snakemake --cores all" in err
