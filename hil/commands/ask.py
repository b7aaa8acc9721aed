"""`thinwire ask`: recommend protocol and mode for a device, as the page does, from the trials."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.commands import recommend, recommend_trials, scaffold
from hil.commands.recommend import RANKED, SLEEPS, Question, Row, Value

_UNITS = {
    "battery": "days",
    "charge": "µC",
    "bytes": "bytes",
    "airtime": "µs",
    "ack": "ms",
    "delivered": "%",
    "ram": "bytes",
    "flash": "bytes",
}

_POSITIVE = {
    "payload": "the size of a message in bytes, such as 40",
    "interval": "the time between messages in seconds, such as 60",
    "battery": "the battery's capacity in mAh, such as 1000",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--payload", type=float, required=True, metavar="BYTES", help="size of a message"
    )
    parser.add_argument(
        "--interval", type=float, required=True, metavar="S", help="time between messages"
    )
    parser.add_argument(
        "--load",
        default="idle",
        help="background load of the access point: idle (default), busy (the highest measured"
        " load), or the name of a measured load",
    )
    parser.add_argument(
        "--sleep",
        choices=SLEEPS,
        default="awake",
        help="the radio between messages (default: awake)",
    )
    parser.add_argument(
        "--qos",
        choices=("at-most-once", "at-least-once", "exactly-once"),
        default="at-most-once",
        help="the weakest acceptable delivery guarantee (default: at-most-once)",
    )
    parser.add_argument(
        "--battery", type=float, default=1000.0, metavar="MAH", help="capacity (default: 1000)"
    )
    parser.add_argument(
        "--by",
        nargs="+",
        default=["battery"],
        metavar="NAME[=WEIGHT]",
        help=f"quantities to rank by: {', '.join(RANKED)} (default: battery); several are"
        " combined as a weighted geometric mean of ratios to the best mode",
    )
    parser.add_argument(
        "--all", action="store_true", help="print all modes instead of the best eight"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--record", type=Path, metavar="FILE.md", help="write a decision record")
    parser.add_argument(
        "--write-study",
        metavar="NAME",
        help="write workflow/studies/NAME.yaml, a study of this question",
    )
    parser.add_argument(
        "--model",
        type=Path,
        default=Path("results/decide.json"),
        metavar="DECIDE.json",
        help="the fitted models (default: results/decide.json)",
    )


def _weights(words: list[str]) -> dict[str, float]:
    weights = {}
    for word in words:
        name, _, weight = word.partition("=")
        try:
            value = float(weight or 1)
        except ValueError:
            value = math.nan
        if name not in RANKED or not 0 < value < math.inf:
            raise InputError(
                "--by",
                word,
                "is not a quantity, or has no positive weight",
                f"use {', '.join(RANKED)}, or NAME=2",
            )
        weights[name] = value
    return weights


def _question(arguments: argparse.Namespace, document: dict[str, Any]) -> Question:
    for name, meant in _POSITIVE.items():
        if not 0 < getattr(arguments, name) < math.inf:
            raise InputError(
                f"--{name}",
                f"{getattr(arguments, name):g}",
                "is not above 0",
                f"give {meant}",
            )
    busiest = max(document["loads"], key=lambda load: load["mbps"])["name"]
    return Question(
        payload=arguments.payload,
        interval=arguments.interval,
        load=busiest if arguments.load == "busy" else arguments.load,
        sleep=arguments.sleep,
        guarantee=arguments.qos,
        battery=arguments.battery,
        weights=_weights(arguments.by),
    )


def number(value: float) -> str:
    """Format a number with three significant digits; `?` for NaN."""
    if math.isnan(value):
        return "?"
    if value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def _cell(value: Value | None) -> str:
    if value is None:
        return "no data"
    if value.low == value.high:
        return number(value.value)
    return f"{number(value.value)} [{number(value.low)}, {number(value.high)}]"


def table(rows: list[Row]) -> list[list[str]]:
    """Return header and rows as text; quantities without data are left out."""
    shown = [name for name in RANKED if any(row.values[name] is not None for row in rows)]
    header = ["", *(f"{name}, {_UNITS[name]}" for name in shown)]
    return [header, *([row.label, *(_cell(row.values[name]) for name in shown)] for row in rows)]


def _aligned(lines: list[list[str]]) -> list[str]:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


def _markdown(lines: list[list[str]]) -> list[str]:
    ruled = (lines[0], ["---"] * len(lines[0]), *lines[1:])
    return [f"| {' | '.join(line)} |" for line in ruled]


def words(document: dict[str, Any], question: Question) -> str:
    """Return the question as a sentence."""
    load = next(one["label"] for one in document["loads"] if one["name"] == question.load)
    radio = "awake" if question.sleep == "awake" else f"in {question.sleep} sleep"
    return (
        f"{question.payload:g} bytes every {question.interval:g} s, {question.guarantee}, "
        f"radio {radio} between messages, on the access point: {load}, "
        f"battery {question.battery:g} mAh"
    )


def errors(document: dict[str, Any], rows: list[Row]) -> list[list[str]]:
    """Return the leave-one-condition-out error of each mode's models: header and rows."""
    quantities = [q["name"] for q in document["quantities"] if document["errors"][q["name"]]["n"]]

    def cell(quantity: str, mode: str) -> str:
        error = document["errors"][quantity]["modes"].get(mode)
        if error is None:
            return "-"
        return f"{100 * error['median']:.1f} % ({100 * error['max']:.0f} %)"

    heads = [name.split("_")[0] for name in quantities]
    return [
        ["", *heads],
        *([row.label, *(cell(name, row.mode) for name in quantities)] for row in rows),
    ]


def basis(document: dict[str, Any], question: Question, rows: list[Row]) -> list[str]:
    """Return the evidence for the answer, and the modes that it leaves out."""
    measured = sum(row.measured for row in rows)
    kind = f"measured in this condition: {measured} of {len(rows)} modes"
    missing = ", ".join(recommend.outside(document, question))
    return [
        f"{kind}; the rest are interpolated between measured conditions (regression in R).",
        *([f"Left out, because not measured for this question: {missing}."] if missing else []),
        "Intervals: 95 %, of the mean over trials. Battery life assumes datasheet currents.",
        "RAM: measured with the smallest payload that is at least as large.",
    ]


_ERRORS = "Error for a measured condition that is left out of the fit: median (maximum):"


def record(document: dict[str, Any], question: Question, rows: list[Row]) -> str:
    """Format a decision record: question, answer, evidence, commands that reproduce it."""
    return "\n".join(
        [
            "# Decision: protocol and mode of a device",
            "",
            f"Question: {words(document, question)}.",
            f"Ranked by: {', '.join(f'{k} (weight {w:g})' for k, w in question.weights.items())}.",
            f"Answer: {rows[0].label}.",
            "",
            *_markdown(table(rows)),
            "",
            *basis(document, question, rows),
            "",
            _ERRORS,
            "",
            *_markdown(errors(document, rows)),
            "",
            f"Trials: SHA-256 of the metrics {document['digest']}.",
            "",
            "To repeat the nearest trials of the best three modes:",
            "",
            *(f"    {line}" for line in recommend_trials.commands(document, question, rows)),
            "",
        ]
    )


def _as_json(document: dict[str, Any], question: Question, rows: list[Row]) -> str:
    def plain(value: Value | None) -> dict[str, float | None] | None:
        if value is None:
            return None
        return {k: None if math.isnan(v) else v for k, v in value._asdict().items()}

    answer = [
        {
            "mode": row.mode,
            "label": row.label,
            "measured": row.measured,
            "score": row.score,
            **{name: plain(value) for name, value in row.values.items()},
            "errors": {
                name: error["modes"][row.mode]
                for name, error in document["errors"].items()
                if row.mode in error["modes"]
            },
        }
        for row in rows
    ]
    left_out = recommend.outside(document, question)
    return json.dumps(
        {"question": vars(question), "answer": answer, "left_out": left_out}, indent=1
    )


def _write_study(document: dict[str, Any], question: Question, name: str) -> int:
    path = ROOT / scaffold.study_file(name)
    path.write_text(recommend_trials.study_text(document, question, name), encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}; to run it and update the models:")
    studies = f"studies=[matrix,sensor,{name}]"
    print(f"snakemake --cores all --config '{studies}' -- results/decide.json")
    return 0


def run(arguments: argparse.Namespace) -> int:
    document = recommend.read(arguments.model)
    question = _question(arguments, document)
    if arguments.write_study:
        return _write_study(document, question, arguments.write_study)
    recommend.check(document, question)
    rows = recommend.rank(document, question)
    if not rows or rows[0].score is None:
        missing = recommend.outside(document, question)
        measured = f"; measured modes: {', '.join(missing)}" if missing else ""
        raise InputError(
            arguments.model,
            "",
            f"no trial answers this question{measured}",
            "repeat the question with --write-study NAME to create a study",
        )
    if arguments.record:
        arguments.record.write_text(record(document, question, rows), encoding="utf-8")
    if arguments.json:
        print(_as_json(document, question, rows))
        return 0
    shown = rows if arguments.all else rows[:8]
    print(words(document, question))
    print("\n".join(_aligned(table(shown))))
    print("\n".join([*basis(document, question, rows), _ERRORS]))
    print("\n".join(_aligned(errors(document, shown))))
    print(
        "\n".join(
            ["to repeat the nearest trials:", *recommend_trials.commands(document, question, rows)]
        )
    )
    return 0
