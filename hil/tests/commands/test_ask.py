"""Does `thinwire ask` give the same answer as R's regression, and state its limits?"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.commands import recommend
from hil.commands.recommend import Question
from hil.design.protocols import protocols
from hil.design.studies import load_study
from hil.tests.support.answers import MODES, QUESTIONS, asked, write_table

# The bytes of each mode and question by R's own regression, in the chosen scale; nothing outside a
# mode's payloads and loads. The lower end is at least headers and payload.
PREDICT = """
points <- read.csv("points.csv"); asked <- read.csv("asked.csv"); chosen <- read.csv("scales.csv")
for (one in chosen$mode) {
  d <- points[points$mode == one, ]
  known <- asked$kb >= min(d$kb) & asked$kb <= max(d$kb) & (asked$web == 0 | any(d$web == 1))
  d$w <- if (chosen$scale[chosen$mode == one] == "relative") 1 / d$y^2 else rep(1, nrow(d))
  f <- if (any(d$web == 1)) y ~ kb + log10(s) + I(s >= 1) + I(pmax(0, s - 60)) + web + sleep else
    y ~ kb + log10(s) + I(s >= 1) + I(pmax(0, s - 60)) + sleep
  said <- predict(lm(f, d, weights = w), asked, interval = "confidence")
  least <- 1000 * asked$kb + if (one == "mqtt-qos2") 54 else 42
  said[, "lwr"] <- pmax(said[, "lwr"], least)
  said[!known, ] <- NA
  write.table(said, paste0(one, ".csv"), sep = ",", row.names = FALSE)
}
"""


BUSY = ("--payload", "40", "--interval", "60", "--load", "busy", "--sleep", "modem")


def test_the_answers_are_those_of_r(model):
    document = recommend.read(model)
    place = model.parent
    asked = [(q["payload"] / 1000, q["interval"], q["load"], q["sleep"]) for q in QUESTIONS]
    rows = [(kb, s, int(load == "web-10"), int(sleep == "modem")) for kb, s, load, sleep in asked]
    write_table(place / "asked.csv", "kb,s,web,sleep", rows)
    scales = {mode["name"]: mode["fits"]["bytes"]["scale"] for mode in document["modes"]}
    assert set(scales.values()) <= {"linear", "relative"}  # the true relation is a straight line
    write_table(place / "scales.csv", "mode,scale", list(scales.items()))
    subprocess.run(["Rscript", "-e", PREDICT], cwd=place, capture_output=True, check=True)
    for mode in document["modes"]:
        said = (place / f"{mode['name']}.csv").read_text(encoding="utf-8").splitlines()[1:]
        for question, line in zip(QUESTIONS, said, strict=True):
            ours = recommend.values_of(document, mode, Question(**question))["bytes"]
            theirs = None if line == "NA,NA,NA" else tuple(map(float, line.split(",")))
            assert (ours and tuple(ours)) == (theirs and pytest.approx(theirs)), (mode, question)


def _models(model: Path) -> list[Path]:
    """The model of trials whose truth is known, and that of the results, where it is."""
    results = ROOT / "results" / "decide.json"
    return [model, *([results] if results.is_file() else [])]


HEADERS = {"tcp": 14 + 20 + 20, "udp": 14 + 20 + 8}


def test_no_answer_is_below_what_its_payload_takes_nor_falls_with_it(model):
    for path in _models(model):
        document = recommend.read(path)
        for mode in document["modes"]:
            headers = HEADERS[protocols()[mode["protocol"]].transport]
            low, high = mode["payload"]
            payloads = [low * (high / low) ** (i / 60) for i in range(60)] + [high]
            for load, sleep, interval in itertools.product(
                (load["name"] for load in document["loads"]),
                ("awake", "light"),
                mode["interval"],
            ):
                before: dict[str, float] = {}
                for payload in payloads:
                    question = Question(payload, interval, load, sleep)
                    values = recommend.values_of(document, mode, question)
                    at = (path.name, mode["name"], question)
                    if values["bytes"]:
                        assert values["bytes"].value >= payload + headers, at
                        assert not values["bytes"].low < payload + headers, at
                    if values["airtime"]:  # 802.11n, one stream: 65 Mb/s
                        assert values["airtime"].value >= (payload + headers) * 8 / 65, at
                        assert not values["airtime"].low < (payload + headers) * 8 / 65, at
                    for name in ("bytes", "airtime", "charge", "ack", "ram"):
                        if values[name]:
                            now = values[name].value
                            assert now >= before.get(name, 0) * (1 - 1e-9), (name, at)
                            before[name] = now


def test_a_mode_that_was_not_measured_there_is_left_out_by_name(capsys, model):
    _, out, _ = asked(capsys, model, "--payload", "3000", "--interval", "60", "--by", "bytes")
    assert "for this question: CoAP CON (10 to 1000 bytes), raw UDP (10 to 1000 bytes)." in out
    assert out.startswith("By bytes: MQTT QoS 2, ")
    _, out, _ = asked(capsys, model, "--payload", "3000", "--interval", "60", "--json")
    answer = json.loads(out)
    assert [row["mode"] for row in answer["answer"]] == ["mqtt-qos2"]
    assert len(answer["left_out"]) == 2
    status, _, err = asked(capsys, model, "--payload", "16000", "--interval", "60")
    assert status == 2
    assert "outside the measured range, 10 to 15360 bytes" in err


def test_the_ram_is_that_of_the_payload(capsys, model):
    def ram(payload: str) -> dict[str, float]:
        _, out, _ = asked(capsys, model, "--payload", payload, "--interval", "1", "--json")
        return {row["mode"]: row["ram"]["value"] for row in json.loads(out)["answer"]}

    static_and_stack = 2000 + 4096 - 3000
    assert ram("10") == dict.fromkeys(MODES, static_and_stack + 2010)
    # raw UDP was measured with 10 and 1000 bytes only: the next larger one counts
    assert ram("40")["udp-plain"] == ram("1000")["udp-plain"] == static_and_stack + 3000
    assert ram("40")["mqtt-qos2"] == static_and_stack + 2040
    assert ram("15360") == {"mqtt-qos2": static_and_stack + 2000 + 15360}


def test_the_error_is_told_for_each_mode_and_quantity(capsys, model):
    _, out, _ = asked(capsys, model, *BUSY, "--json")
    document = recommend.read(model)
    for row in json.loads(out)["answer"]:
        assert row["errors"]["bytes"] == document["errors"]["bytes"]["modes"][row["mode"]]
    _, out, _ = asked(capsys, model, *BUSY)
    error = document["errors"]["bytes"]["modes"]["coap-con"]
    assert f"{100 * error['median']:.1f} % ({100 * error['max']:.0f} %)" in out


@pytest.mark.parametrize("words", [("--payload", "-4"), ("--interval", "0"), ("--battery", "-1")])
def test_what_is_not_above_0_is_refused_with_a_remedy(capsys, model, words):
    status, _, err = asked(capsys, model, *BUSY, *words)
    assert status == 2
    assert re.search(rf"{words[0]}: {words[1]}: is not above 0; give .*, such as [0-9]+\n$", err)


def test_a_battery_lasts_what_its_currents_take(capsys, model):
    _, out, _ = asked(capsys, model, *BUSY, "--json", "--battery", "500")
    row = json.loads(out)["answer"][0]
    # asleep 15 mA, and a message every 60 s that keeps the radio (56 mA) awake for 100 ms
    message = row["charge"]["value"]
    assert message == pytest.approx(56 * 100 + 0.15 * row["bytes"]["value"], rel=1e-6)
    assert row["battery"]["value"] == pytest.approx(500 / (15 + message / 60e3) / 24)


def test_what_no_trial_tells_is_no_data_and_last(capsys, model):
    _, out, _ = asked(capsys, model, *BUSY)
    rows = [line for line in out.splitlines() if line.startswith(("CoAP", "MQTT", "raw UDP"))]
    assert rows[2].startswith("raw UDP (baseline)")
    assert "no data" in rows[2]
    status, _, err = asked(capsys, model, "--payload", "40", "--interval", "1d")
    assert status == 2
    assert "--interval: 86400: is outside the measured range, 0.1 to 3600 s" in err


def test_the_guarantee_is_kept(capsys, model):
    _, out, _ = asked(capsys, model, *BUSY, "--qos", "at-least-once", "--json")
    assert {row["mode"] for row in json.loads(out)["answer"]} == {"coap-con", "mqtt-qos2"}
    _, out, _ = asked(capsys, model, *BUSY, "--qos", "exactly-once", "--json")
    assert {row["mode"] for row in json.loads(out)["answer"]} == {"mqtt-qos2"}


def test_weights_turn_the_order_and_are_checked(capsys, model):
    _, out, _ = asked(capsys, model, *BUSY, "--by", "bytes=3", "delivered", "--json")
    rows = json.loads(out)["answer"]
    assert [row["mode"] for row in rows][:2] == ["coap-con", "mqtt-qos2"]
    ratio = rows[1]["bytes"]["value"] / rows[0]["bytes"]["value"]
    assert rows[1]["score"] == pytest.approx(ratio**0.75)
    status, _, err = asked(capsys, model, *BUSY, "--by", "beauty")
    assert status == 2
    assert "--by: beauty: is not a quantity" in err


def test_a_decision_is_filed_with_the_commands_of_its_trials(capsys, model, tmp_path):
    record = tmp_path / "decision.md"
    asked(capsys, model, *BUSY, "--record", str(record))
    text = record.read_text(encoding="utf-8")
    assert "Answer: By battery: no difference. The trials do not separate CoAP CON and" in text
    assert "thinwire trial run s --trial coap-con_40_1000_web_1 --out /tmp/again" in text


def test_a_study_of_the_question_is_written_and_holds(capsys, model):
    path = ROOT / "workflow" / "studies" / "of-a-test.yaml"
    try:
        status, out, _ = asked(
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
    status, _, err = asked(capsys, tmp_path / "none.json", "--payload", "1", "--interval", "1")
    assert status == 2
    assert "make it: snakemake --cores all" in err
