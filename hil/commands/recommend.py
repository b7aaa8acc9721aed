"""Recommend a mode for a device: evaluate the models of results/decide.json for one question.

R fits and validates the models (workflow/R/report/R/decide_model.R). This module evaluates the
regression, as the page does (workflow/page/rank.js).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from hil.base.documents import read_json
from hil.base.errors import InputError
from hil.commands import project

# What the radio does between messages -> the name of its current in the document.
SLEEPS = {"awake": "listen", "modem": "modem_sleep", "light": "light_sleep"}
# Quantities to rank by: those of the document, and those derived from them.
RANKED = ("battery", "charge", "bytes", "airtime", "ack", "delivered", "ram", "flash")
# Quantities of which more is better.
MORE_IS_BETTER = ("battery", "delivered")
_DAY_S = 86_400
# Keys of a question that have a measured range, with units; the model terms that depend on them.
ASKED = {"payload": "bytes", "interval": "s"}
_RANGES = {"kilobytes": "payload", "decades": "interval"}


@dataclass(frozen=True)
class Question:
    """A question to the models."""

    payload: float  # bytes of the application
    interval: float  # s between two messages
    load: str = "idle"  # one of the document's loads
    sleep: str = "awake"  # one of SLEEPS
    guarantee: str = "at-most-once"  # the weakest acceptable one
    battery: float = 1000.0  # mAh
    weights: dict[str, float] = field(default_factory=lambda: {"battery": 1.0})
    modes: tuple[str, ...] = ()  # only these; empty: all


class Value(NamedTuple):
    """A quantity with its 95 % confidence interval, in the document's unit.

    `low` and `high` are NaN if there are no more trials than coefficients.
    """

    value: float
    low: float
    high: float


def read(path: Path) -> dict[str, Any]:
    """Read the document of results/decide.json.

    Raises:
        InputError: it cannot be read, or is of another version.
    """
    remedy = project.remake(path)
    document = read_json(path, remedy)
    for key in ("terms", "least", "kept_s"):
        if key not in document:
            raise InputError(path, key, "is missing", remedy)
    return document


def _row_of(document: dict[str, Any], quantity: str, question: Question) -> list[float]:
    """Return the question as a row of the quantity's design matrix, in the order of `terms`."""
    known = {
        "one": 1.0,
        "kilobytes": question.payload / 1000,
        "decades": math.log10(question.interval),
        "slow": float(question.interval >= document["slow_s"]),
        "hours": max(0.0, question.interval - document["kept_s"]) / 3600,
        "sleep": float(question.sleep != "awake"),
        question.load: 1.0,
    }
    return [known.get(term, 0.0) for term in document["terms"][quantity]]


def within(known: dict[str, Any], names: Iterable[str], question: Question) -> bool:
    """Return whether these keys of the question lie within the known ranges."""
    return all(known[name][0] <= getattr(question, name) <= known[name][1] for name in names)


def estimate(
    document: dict[str, Any], quantity: str, mode: dict[str, Any], question: Question
) -> Value | None:
    """Evaluate a mode's fit: mean and 95 % interval, which the physical floor bounds.

    None outside the payloads and intervals that the fit covers.
    """
    fit = mode["fits"].get(quantity)
    terms = document["terms"][quantity]
    if fit is None or not within(fit, (n for t, n in _RANGES.items() if t in terms), question):
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
    """Return the charge of a message in uC: its frames, and listening while it keeps a sleeping
    radio awake. Adding the ends of both intervals gives more than 95 % coverage."""
    if frames is None or awake_ms is None:
        return None
    listen_ma = document["currents_ma"]["listen"]
    return Value(*(a + listen_ma * b for a, b in zip(frames, awake_ms, strict=True)))


def battery_days(question: Question, idle_ma: float, message_uc: float) -> float:
    """Return the battery life in days: capacity divided by the daily charge of idling, at a
    current, and of the messages."""
    daily_c = idle_ma * 1e-3 * _DAY_S + message_uc * 1e-6 * _DAY_S / question.interval
    return question.battery * 3.6 / daily_c


def _battery(document: dict[str, Any], question: Question, charge: Value | None) -> Value | None:
    """Return the battery life in days with this charge of a message."""
    if charge is None:
        return None
    idle_ma = document["currents_ma"][SLEEPS[question.sleep]]
    ends = (charge.value, charge.high, charge.low)
    return Value(*(battery_days(question, idle_ma, message_uc) for message_uc in ends))


def _delivered(mode: dict[str, Any], question: Question) -> Value | None:
    for share in mode["delivered"]:
        if share["load"] == question.load and share["sleep"] == (question.sleep != "awake"):
            value = share["delivered"] / share["made"]
            return Value(100 * value, 100 * share["low"], 100 * share["high"])
    return None


def _memory(mode: dict[str, Any], question: Question) -> float | None:
    """Return the RAM of the smallest measured payload that is at least as large, bytes."""
    return next((row["ram"] for row in mode["ram"] if row["payload"] >= question.payload), None)


def values_of(
    document: dict[str, Any], mode: dict[str, Any], question: Question
) -> dict[str, Value | None]:
    """Return all quantities of one mode, by the names of RANKED."""

    def fitted(quantity: str) -> Value | None:
        return estimate(document, quantity, mode, question)

    # An awake device listens anyway, so a message adds only the charge of its frames.
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
    """Return the modes that the question names (or all) whose guarantee is at least its own."""
    order = document["guarantees"]
    least = order.index(question.guarantee)
    return [
        mode
        for mode in document["modes"]
        if order.index(mode["guarantee"]) >= least
        and (not question.modes or mode["name"] in question.modes)
    ]


def outside(document: dict[str, Any], question: Question) -> list[str]:
    """Return the modes not measured at this payload or interval, with their measured ranges."""
    left_out = []
    for mode in fitting(document, question):
        beyond = [
            f"{' to '.join(f'{end:g}' for end in dict.fromkeys(mode[name]))} {unit}"
            for name, unit in ASKED.items()
            if not within(mode, (name,), question)
        ]
        if beyond:
            left_out.append(f"{mode['label']} ({', '.join(beyond)})")
    return left_out


def check(document: dict[str, Any], question: Question) -> None:
    """Check that the question lies within the measured ranges.

    Raises:
        InputError: it does not; the models do not extrapolate.
    """
    for name, unit in ASKED.items():
        low, high = document[name]
        asked = getattr(question, name)
        if not low <= asked <= high:
            raise InputError(
                f"--{name}",
                f"{asked:g}",
                f"is outside the measured range, {low:g} to {high:g} {unit}",
                "repeat the question with --write-study NAME to create a study",
            )
    loads = [load["name"] for load in document["loads"]]
    if question.load not in loads:
        raise InputError(
            "--load", question.load, "was not measured", f"use {', '.join(loads)}, or busy"
        )
