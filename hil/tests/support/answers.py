"""Trials with a known truth, and the model and the page that answer from them."""

from __future__ import annotations

import csv
import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from hil import cli
from hil.base.paths import ROOT
from hil.commands.claims_list import Claim

SCRIPTS = ROOT / "workflow" / "scripts"
MODES = {"coap-con": "coap", "mqtt-qos2": "mqtt", "udp-plain": "udp"}
CONDITIONS = [
    *itertools.product((10, 1000), (100, 1000, 60000), ("none",), (0, 1)),
    *itertools.product((10,), (600_000, 3_600_000), ("none",), (1,)),
    (40, 1000, "web", 0),
    (40, 1000, "web", 1),
    (15360, 1000, "none", 0),
]
# Conditions that were not measured: raw UDP in a loaded cell, and protocols other than MQTT above
# one frame.
TRIALS = [
    (mode, *condition)
    for mode, condition in itertools.product(MODES, CONDITIONS)
    if not (mode == "udp-plain" and condition[2] == "web")
    and not (condition[0] == 15360 and mode != "mqtt-qos2")
]
# Questions at and between what was tried, and beyond it.
# The address of a page with a question of its own.
BUSY = "#decide?payload=40&interval=60&load=web-10&guarantee=at-most-once&sleep=modem&battery=500"
QUESTIONS = [
    {"payload": payload, "interval": interval, "load": load, "sleep": sleep}
    for payload, interval, load, sleep in itertools.product(
        (10, 40, 999, 1000, 5000, 15360),
        (0.1, 0.5, 1, 60, 1800, 3600),
        ("idle", "web-10"),
        ("awake", "modem"),
    )
]


def _bytes(mode: str, payload: int, interval: int, load: str, sleep: int) -> float:
    """Bytes of a message: linear, with keep-alives of MQTT, and a scatter that no term explains."""
    scatter = (payload * 7 + interval // 100 * 3 + sleep * 5) % 11
    kept = 7200 * max(0, interval - 60_000) / 3_600_000 * (mode[0] == "m")
    return kept + 100 * (mode[0] == "m") + 60 + payload * 1.25 + 20 * (load == "web") + scatter


def write_table(path: Path, header: str, rows: list[tuple]) -> None:
    """A CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header.split(","), *rows])


def make_model(workdir: Path) -> Path:
    """A model, decide.json, that R makes in this folder of trials whose truth is known; beside it
    their tables, and the points of bytes for R's own regression."""
    metrics, factors, points = [], [], []
    for mode, payload, interval, load, sleep in TRIALS:
        name = f"{mode}_{payload}_{interval}_{load}_{sleep}"
        wire = _bytes(mode, payload, interval, load, sleep)
        points.append((mode, wire, payload / 1000, interval / 1000, int(load == "web"), sleep))
        measured = {
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
            "board_heap_peak_bytes": 2000 + payload,
            "rtt_median_ms": 5 + wire / 100,
            "board_stack_free_min_bytes": 3000,
        }
        metrics += [("s", name, metric, value, "", 1) for metric, value in measured.items()]
        known = {
            "mode": mode,
            "protocol": MODES[mode],
            "role": "publish",
            "link": "air",
            "wifi_standard": "n",
            "board": "lx106",
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
    write_table(workdir / "metrics.csv", "study,trial,metric,value,unit,n", metrics)
    write_table(workdir / "factors.csv", "study,trial,factor,value", factors)
    write_table(workdir / "points.csv", "mode,y,kb,s,web,sleep", points)
    out = workdir / "decide.json"
    _rscript("decide", "--out", out, "--tables", workdir / "metrics.csv", workdir / "factors.csv")
    return out


def _rscript(name: str, *words: str | Path) -> None:
    subprocess.run(["Rscript", SCRIPTS / f"{name}.R", *words], check=True)


def asked(capsys: Any, model: Path, *words: str) -> tuple[int, str, str]:
    """Status, output and error of `thinwire ask` with this model."""
    status = cli.main(["ask", "--model", str(model), *words])
    done = capsys.readouterr()
    return status, done.out, done.err


CLAIMS = [
    ("ufes-a", "reproduced", "MQTT is faster </script> than CoAP.", "coap-con_10_1000_none_0"),
    ("ufes-b", "contradicted", "MQTT-SN loses nothing.", ""),
]


def _bundle(workdir: Path, trial: str) -> None:
    folder = workdir / "raw" / "s" / trial
    folder.mkdir(parents=True)
    documents = {
        "trial": {"study": "s", "trial": trial, "seed": 7, "firmware": {"sha256": "f" * 64}},
        "lab": {"outcome": "ok", "versions": {"image": "0123456789abcdef"}},
    }
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "SHA256SUMS").write_text(trial, encoding="utf-8")


def _command(workdir: Path, *words: str) -> Path:
    """What `thinwire WORDS --json` says, in a file."""
    out = workdir / f"{words[0]}.json"
    with out.open("w", encoding="utf-8") as file:
        subprocess.run([sys.executable, "-m", "hil.cli", *words, "--json"], stdout=file, check=True)
    return out


def make_page(workdir: Path) -> Path:
    """The page of these trials, by the scripts of the workflow; its folder."""
    model = make_model(workdir)
    for mode, *condition in TRIALS:
        _bundle(workdir, "_".join(map(str, (mode, *condition))))
    known = [
        Claim(
            **{
                **dict.fromkeys(Claim._fields, ""),
                "claim": name,
                "source": "ufes2018",
                "kind": "repetition",
                "verdict": verdict,
                "counts_as": verdict,
                "statement": statement,
                "study": "s",
                "trials": trial,
                "ours": "2",
            }
        )
        for name, verdict, statement, trial in CLAIMS
    ]
    write_table(workdir / "claims.csv", ",".join(Claim._fields), known)
    charts = workdir / "vega.js"
    subprocess.run([sys.executable, SCRIPTS / "charts.py", charts], check=True)
    claims = _command(workdir, "claims", "--table", str(workdir / "claims.csv"))
    tables = [workdir / "metrics.csv", workdir / "factors.csv"]
    out = workdir / "page"
    _rscript(
        "page",
        *("--decide", model, "--claims", claims),
        *("--studies", _command(workdir, "studies", "limits")),
        *("--tables", *tables, "--bundles", workdir / "raw", "--charts", charts),
        *("--source", ROOT / "workflow" / "page", "--project", ROOT),
        *("--commit", "abc of 2026-01-02", "--out", out),
    )
    return out
