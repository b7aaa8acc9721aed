"""Which mode suits a device: the models of results/decide.json, evaluated for one question.

The models are fitted and validated in R (workflow/R/report/R/decide_model.R); here is only the
arithmetic of a regression, the same as on the page (workflow/page/decide.js).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from hil.base.documents import read_json
from hil.base.errors import InputError

# What the radio does between messages -> the current that it is, in the document's currents.
SLEEPS = {"awake": "listen", "modem": "modem_sleep", "light": "light_sleep"}
# What a reader can rank by: the quantities of the document and what follows from them.
RANKED = ("battery", "charge", "bytes", "airtime", "ack", "delivered", "ram", "flash")
# Of these more is better.
MORE_IS_BETTER = ("battery", "delivered")
_DAY_S = 86_400
# What a question must lie within, and its unit; and which terms of a model depend on it.
_ASKED = {"payload": "bytes", "interval": "s"}
_RANGES = {"kilobytes": "payload", "decades": "interval"}


@dataclass(frozen=True)
class Question:
    """What a reader asks."""

    payload: float  # bytes of the application
    interval: float  # s between two messages
    load: str = "idle"  # one of the document's loads
    sleep: str = "awake"  # one of SLEEPS
    guarantee: str = "at-most-once"  # at least this one
    battery: float = 1000.0  # mAh
    weights: dict[str, float] = field(default_factory=lambda: {"battery": 1.0})


class Value(NamedTuple):
    """A quantity with its 95 % interval, in the unit of the document; NaN ends where one trial
    more than there are coefficients is missing."""

    value: float
    low: float
    high: float


class Row(NamedTuple):
    """One mode's answer; None where no trial tells."""

    mode: str
    label: str
    values: dict[str, Value | None]
    score: float | None
    measured: bool  # some trial had exactly this condition


def read(path: Path) -> dict[str, Any]:
    """The document of results/decide.json."""
    remedy = f"make it: snakemake --cores all -- {path}"
    document = read_json(path, remedy)
    if not isinstance(document, dict) or "terms" not in document:
        raise InputError(path, "terms", "is missing", remedy)
    return document


def _row_of(document: dict[str, Any], quantity: str, question: Question) -> list[float]:
    """The question as a row of the quantity's design matrix, in the order of its `terms`."""
    known = {
        "one": 1.0,
        "kilobytes": question.payload / 1000,
        "decades": math.log10(question.interval),
        "slow": float(question.interval >= document["slow_s"]),
        "sleep": float(question.sleep != "awake"),
        question.load: 1.0,
    }
    return [known.get(term, 0.0) for term in document["terms"][quantity]]


def _within(known: dict[str, Any], names: Iterable[str], question: Question) -> bool:
    return all(known[name][0] <= getattr(question, name) <= known[name][1] for name in names)


def estimate(
    document: dict[str, Any], quantity: str, mode: dict[str, Any], question: Question
) -> Value | None:
    """What a mode's fit says of a question: mean and 95 % interval, which ends at the physical
    floor. None where its trials do not tell: each fit answers between its own payloads and
    intervals."""
    fit = mode["fits"].get(quantity)
    terms = document["terms"][quantity]
    if fit is None or not _within(fit, (n for t, n in _RANGES.items() if t in terms), question):
        return None
    row = _row_of(document, quantity, question)
    used = [i for i, x in enumerate(row) if x != 0]
    if any(fit["coef"][i] is None for i in used):
        return None
    mean = sum(fit["coef"][i] * row[i] for i in used)
    half = math.nan
    if fit["df"] > 0:
        variance = sum(row[i] * fit["cov"][i][j] * row[j] for i in used for j in used)
        half = document["t975"][fit["df"] - 1] * math.sqrt(max(variance, 0.0))
    back = math.exp if fit["scale"] == "log" else float
    base, growth = mode["floors"].get(quantity, (0.0, 0.0))
    floor = base + growth * question.payload
    low, high = (max(floor, back(mean + d)) if fit["df"] > 0 else math.nan for d in (-half, half))
    return Value(max(0.0, back(mean)), low, high)


def _charge(document: dict[str, Any], frames: Value | None, awake_ms: Value | None) -> Value | None:
    """What a message takes of the battery, uC: its frames, and listening while it keeps a sleeping
    radio awake. The ends of both intervals add up, which is wider than 95 %."""
    if frames is None or awake_ms is None:
        return None
    listen_ma = document["currents_ma"]["listen"]
    return Value(*(a + listen_ma * b for a, b in zip(frames, awake_ms, strict=True)))


def _battery(document: dict[str, Any], question: Question, charge: Value | None) -> Value | None:
    """Days that a battery lasts: its charge by what a day takes, sleeping or listening between
    the messages, and the messages."""
    if charge is None:
        return None
    idle = document["currents_ma"][SLEEPS[question.sleep]] * 1e-3 * _DAY_S  # C a day

    def days(microcoulombs: float) -> float:
        return question.battery * 3.6 / (idle + microcoulombs * 1e-6 * _DAY_S / question.interval)

    return Value(days(charge.value), days(charge.high), days(charge.low))


def _delivered(mode: dict[str, Any], question: Question) -> Value | None:
    for share in mode["delivered"]:
        if share["load"] == question.load and share["sleep"] == (question.sleep != "awake"):
            value = share["delivered"] / share["made"]
            return Value(100 * value, 100 * share["low"], 100 * share["high"])
    return None


def _memory(mode: dict[str, Any], question: Question) -> float | None:
    """RAM by the payload: that of the least measured payload which is no smaller."""
    return next((row["ram"] for row in mode["ram"] if row["payload"] >= question.payload), None)


def values_of(
    document: dict[str, Any], mode: dict[str, Any], question: Question
) -> dict[str, Value | None]:
    """All quantities of one mode, by the names of RANKED."""

    def fitted(quantity: str) -> Value | None:
        return estimate(document, quantity, mode, question)

    # A device that is awake listens anyway: what its frames take is all that a message adds.
    charge = fitted("frames_uc")
    if question.sleep != "awake":
        charge = _charge(document, charge, fitted("awake_ms"))

    def exact(value: float | None) -> Value | None:
        return None if value is None else Value(value, value, value)

    return {
        "battery": _battery(document, question, charge),
        "charge": charge,
        "bytes": fitted("bytes"),
        "airtime": fitted("airtime_us"),
        "ack": fitted("ack_ms"),
        "delivered": _delivered(mode, question),
        "ram": exact(_memory(mode, question)),
        "flash": exact(mode["flash"]),
    }


def fitting(document: dict[str, Any], question: Question) -> list[dict[str, Any]]:
    """The modes that give the question's guarantee."""
    order = document["guarantees"]
    least = order.index(question.guarantee)
    return [mode for mode in document["modes"] if order.index(mode["guarantee"]) >= least]


def outside(document: dict[str, Any], question: Question) -> list[str]:
    """The modes that were not measured at this payload or interval, each with what was."""
    left_out = []
    for mode in fitting(document, question):
        beyond = [
            f"{' to '.join(f'{end:g}' for end in dict.fromkeys(mode[name]))} {unit}"
            for name, unit in _ASKED.items()
            if not _within(mode, (name,), question)
        ]
        if beyond:
            left_out.append(f"{mode['label']} ({', '.join(beyond)})")
    return left_out


def check(document: dict[str, Any], question: Question) -> None:
    """InputError for a question outside what was measured: there is no answer beyond it."""
    for name, unit in _ASKED.items():
        low, high = document[name]
        asked = getattr(question, name)
        if not low <= asked <= high:
            raise InputError(
                f"--{name}",
                f"{asked:g}",
                f"no trial has it: they go from {low:g} to {high:g} {unit}",
                "make some: the same question with --write-study NAME writes their study",
            )
    loads = [load["name"] for load in document["loads"]]
    if question.load not in loads:
        raise InputError(
            "--load", question.load, "no trial has it", f"use {', '.join(loads)}, or busy"
        )


def _score(weights: dict[str, float], values: dict[str, Value | None], best: dict[str, float]):
    """Weighted geometric mean of how many times worse than the best; None where one is unknown."""
    total = 0.0
    for name, weight in weights.items():
        value = values[name]
        if value is None:
            return None
        ratio = (best[name] / value.value) if name in MORE_IS_BETTER else value.value / best[name]
        total += weight * math.log(ratio) if ratio > 0 else 0.0
    return math.exp(total / sum(weights.values()))


def _asked(mode: dict[str, Any], question: Question) -> bool:
    return any(
        trial["payload"] == question.payload
        and trial["interval"] == question.interval
        and trial["load"] == question.load
        and trial["sleep"] == (question.sleep != "awake")
        for trial in mode["measured"]
    )


def rank(document: dict[str, Any], question: Question) -> list[Row]:
    """The modes that give the guarantee and were measured around the question, the best first,
    those without data last."""
    found = [
        (mode, values_of(document, mode, question))
        for mode in fitting(document, question)
        if _within(mode, _ASKED, question)
    ]
    best = {}
    for name in question.weights:
        known = [value.value for _, values in found if (value := values[name]) is not None]
        best[name] = (max if name in MORE_IS_BETTER else min)(known, default=math.nan)
    rows = [
        Row(
            mode["name"],
            mode["label"],
            values,
            _score(question.weights, values, best),
            _asked(mode, question),
        )
        for mode, values in found
    ]
    return sorted(rows, key=lambda row: math.inf if row.score is None else row.score)
