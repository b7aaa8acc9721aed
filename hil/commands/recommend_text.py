"""What `thinwire ask` prints and writes: tables, a sentence, a decision record, JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from hil.commands import recommend, recommend_trials
from hil.commands.answer import UNITS, interval, sentences
from hil.commands.ranking import Row
from hil.commands.recommend import RANKED, Question, Value

# Column heads; units follow.
_HEADS = {"bytes": "on the wire", "ack": "acknowledged", "ram": "RAM"}
SHOWN = 8  # rows without --all


def _cell(value: Value | None) -> str:
    return "no data" if value is None else interval(value)


def _name(row: Row) -> str:
    """Name a mode in a table; a baseline, and what the trials do not separate, are marked."""
    mark = " (baseline)" if row.baseline else " =" if row.tied else ""
    return row.label + mark


def shown(rows: list[Row], everything: bool) -> list[Row]:
    """Return the rows to print: all, or the best ones and the baselines' first."""
    if everything or len(rows) <= SHOWN:
        return rows
    ranked = [row for row in rows if not row.baseline]
    return [*ranked[: SHOWN - 1], *[row for row in rows if row.baseline][:1]]


def hidden(rows: list[Row], printed: list[Row]) -> list[str]:
    """Return the line that names the modes which are not printed; none if all are."""
    left = [row.label for row in rows if row not in printed]
    return [f"{len(left)} more with --all: {', '.join(left)}."] if left else []


def marks(document: dict[str, Any], rows: list[Row]) -> list[str]:
    """Return the explanation of the marks that the rows have."""
    lines = []
    if any(row.tied and not row.baseline for row in rows):
        least = f"{100 * document['least']:g} %"
        lines.append(f"=  not separated from the best: intervals meet, or less than {least} apart.")
    if any(row.baseline for row in rows):
        lines.append(
            "baseline  raw TCP or UDP with the laboratory's own header: not ranked unless named"
            " with --modes."
        )
    return lines


def table(rows: list[Row]) -> list[list[str]]:
    """Return header and rows as text; quantities without data are left out."""
    known = [name for name in RANKED if any(row.values[name] is not None for row in rows)]
    header = ["", *(f"{_HEADS.get(name, name)}, {UNITS[name]}" for name in known)]
    return [header, *([_name(row), *(_cell(row.values[name]) for name in known)] for row in rows)]


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


def shipped(document: dict[str, Any]) -> str:
    """Return which build the shipped models are of."""
    build = document["build"]
    note = f", {build['note']}" if "note" in build else ""
    return (
        f"Shipped results of commit {build['commit'][:12]} ({build['date']}){note}; 'make paper'"
        " replaces them by your own."
    )


NEAREST = "To repeat the nearest trials of the best three modes:"
ERRORS = "Error for a measured condition that is left out of the fit: median (maximum):"


def record(document: dict[str, Any], question: Question, rows: list[Row]) -> str:
    """Format a decision record: question, answer, evidence, commands that reproduce it."""
    return "\n".join(
        [
            "# Decision: protocol and mode of a device",
            "",
            f"Question: {words(document, question)}.",
            f"Ranked by: {', '.join(f'{k} (weight {w:g})' for k, w in question.weights.items())}.",
            f"Answer: {sentences(question, rows)}",
            "",
            *_markdown(table(rows)),
            "",
            *marks(document, rows),
            "",
            *basis(document, question, rows),
            "",
            ERRORS,
            "",
            *_markdown(errors(document, rows)),
            "",
            f"Trials: SHA-256 of the metrics {document['digest']}.",
            "",
            NEAREST,
            "",
            *(f"    {line}" for line in recommend_trials.commands(document, question, rows)),
            "",
        ]
    )


def as_json(document: dict[str, Any], question: Question, rows: list[Row]) -> str:
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
            "baseline": row.baseline,
            "tied": row.tied,
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
        {
            "question": vars(question),
            "sentence": sentences(question, rows),
            "answer": answer,
            "left_out": left_out,
        },
        indent=1,
        ensure_ascii=False,
    )
