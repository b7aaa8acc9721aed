"""`thinwire ask`: is its answer the one that R's regression gives, and does it know its limits?"""

from __future__ import annotations

import csv
import itertools
import json
import subprocess
from pathlib import Path

import pytest

from hil import cli
from hil.design.studies import load_study
from hil.schema import ROOT

MODES = {"coap-con": "coap", "mqtt-qos2": "mqtt", "udp-plain": "udp"}
CONDITIONS = [
    *itertools.product((10, 1000), (100, 1000, 60000), ("none",), (0, 1)),
    (40, 1000, "web", 0),
    (40, 1000, "web", 1),
]
# What R says of CoAP's wire bytes and airtime: 40 bytes every 60 s beside others, asleep.
PREDICT = """
d <- read.csv("points.csv"); q <- data.frame(kb = 0.04, s = 60, web = 1, sleep = 1)
fit <- function(f) predict(lm(f, d), q, interval = "confidence")
cat(fit(y ~ kb + log10(s) + I(s >= 1) + web + sleep))
"""


def _bytes(mode: str, payload: int, interval: int, load: str, sleep: int) -> float:
    """Bytes of a message: linear, and a scatter that no term explains."""
    scatter = (payload * 7 + interval // 100 * 3 + sleep * 5) % 11
    return 100 * (mode[0] == "m") + 60 + payload * 1.25 + 20 * (load == "web") + scatter


def _write(path: Path, header: str, rows: list[tuple]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header.split(","), *rows])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that R made of trials whose truth is known; points.csv beside it are CoAP's."""
    place = tmp_path_factory.mktemp("model")
    metrics, factors, points = [], [], []
    for mode, (payload, interval, load, sleep) in itertools.product(MODES, CONDITIONS):
        if mode == "udp-plain" and load == "web":
            continue
        name = f"{mode}_{payload}_{interval}_{load}_{sleep}"
        wire = _bytes(mode, payload, interval, load, sleep)
        if mode == "coap-con":
            points.append((wire, payload / 1000, interval / 1000, int(load == "web"), sleep))
        told = {
            "outcome_ok": 1,
            "made": 20,
            "delivered": 20 - (load == "web"),
            "messages": 20,
            "conversations": 1,
            "exchange_bytes_per_message": wire,
            "airtime_per_message_us": wire,
            "charge_transmit_per_message_uc": wire / 10,
            "charge_receive_per_message_uc": wire / 20,
            "radio_awake_s": 20 * (3 / 102.4 + 0.1) if sleep else 20,
            "cell_s": 20,
            "board_heap_peak_bytes": 2000,
            "board_stack_free_min_bytes": 3000,
        }
        metrics += [("s", name, metric, value, "", 1) for metric, value in told.items()]
        known = {
            "mode": mode,
            "protocol": MODES[mode],
            "role": "publish",
            "link": "air",
            "wifi_standard": "n",
            "outcome": "ok",
            "repetition": "1",
            "payload_bytes": payload,
            "interval_ms": interval,
            "background_profile": load,
            "background_load_mbps": 10,
            "background_stations": 5,
            "background_direction": "both",
            "modem_sleep": sleep,
        }
        factors += [("s", name, factor, value) for factor, value in known.items()]
    for engine in ("base", *MODES.values()):
        metrics += [
            ("firmware", engine, f"engine_{kind}_bytes", 1000, "bytes", 1)
            for kind in ("flash", "ram")
        ]
    _write(place / "metrics.csv", "study,trial,metric,value,unit,n", metrics)
    _write(place / "factors.csv", "study,trial,factor,value", factors)
    _write(place / "points.csv", "y,kb,s,web,sleep", points)
    script = ROOT / "workflow" / "scripts" / "decide.R"
    tables = ["--tables", str(place / "metrics.csv"), str(place / "factors.csv")]
    out = place / "decide.json"
    subprocess.run(["Rscript", str(script), *tables, "--out", str(out)], check=True)
    return out


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
