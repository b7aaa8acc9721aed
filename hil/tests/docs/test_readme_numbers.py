"""Do the README and `thinwire ask` print the numbers of the results, if these exist?

`make paper` makes the results; without them there is nothing to compare.
"""

from __future__ import annotations

import csv
from statistics import mean

import pytest

from hil.base.paths import ROOT
from hil.commands import recommend
from hil.commands.recommend import Question

RESULTS = ROOT / "results"
needs_results = pytest.mark.skipif(
    not (RESULTS / "decide.json").is_file() or not (RESULTS / "metrics/matrix.csv").is_file(),
    reason="needs results/decide.json and results/metrics/matrix.csv: make paper",
)

# Rows of the README's table of what a message costs.
ROWS = {
    "raw UDP with ACK": "udp-ack",
    "MQTT-SN QoS 1": "mqttsn-qos1",
    "CoAP CON": "coap-con",
    "MQTT QoS 1": "mqtt-qos1",
    "AMQP with confirms": "amqp-confirms",
    "HTTP, connection kept": "http-kept",
    "HTTP, a connection each": "http-each",
}
# Its columns that are means of a metric over the trials.
COLUMNS = {
    "bytes on the wire": "bytes_per_message",
    "bytes on the air": "air_bytes_per_message",
    "airtime, µs": "airtime_per_message_us",
}
CONDITION = {"payload_bytes": "100", "interval_ms": "100", "background_profile": "none"}


def _table() -> dict[str, dict[str, float]]:
    """The README's table: numbers by mode and column."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if "| bytes on the wire |" in line)
    cells = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in [lines[at], *lines[at + 2 : at + 2 + len(ROWS)]]
    ]
    head = cells[0]
    return {
        ROWS[row[0]]: dict(zip(head[1:], map(float, row[1:]), strict=True)) for row in cells[1:]
    }


def test_every_row_of_the_table_is_known():
    assert set(_table()) == set(ROWS.values())


def _factors() -> dict[str, dict[str, str]]:
    trials: dict[str, dict[str, str]] = {}
    with (RESULTS / "factors/matrix.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            trials.setdefault(row["trial"], {})[row["factor"]] = row["value"]
    return trials


@needs_results
def test_the_readme_prints_the_means_of_the_results():
    metrics: dict[tuple[str, str], float] = {}
    with (RESULTS / "metrics/matrix.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["metric"] in COLUMNS.values():
                metrics[row["trial"], row["metric"]] = float(row["value"])
    trials = _factors()
    for mode, printed in _table().items():
        runs = [
            trial
            for trial, factors in trials.items()
            if factors.get("mode") == mode
            and all(factors.get(name) == level for name, level in CONDITION.items())
        ]
        assert runs, mode
        for column, metric in COLUMNS.items():
            value = mean(metrics[run, metric] for run in runs)
            assert printed[column] == pytest.approx(value, abs=0.51), (mode, column)


@needs_results
def test_the_readme_and_ask_print_one_flash_and_one_ram():
    document = recommend.read(RESULTS / "decide.json")
    largest: dict[str, float] = {}
    for mode in document["modes"]:
        ram = recommend.values_of(document, mode, Question(1000, 0.1))["ram"]
        assert ram is not None
        largest[mode["protocol"]] = max(largest.get(mode["protocol"], 0), ram.value)
    for mode in document["modes"]:
        printed = _table().get(mode["name"])
        if printed is not None:
            assert printed["flash, kB"] == round(mode["flash"] / 1000, 1), mode["name"]
            # the README's: the highest of all modes of the protocol and payloads of the matrix
            assert printed["RAM, kB"] == pytest.approx(largest[mode["protocol"]] / 1000, abs=0.06)
