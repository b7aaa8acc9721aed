"""Which mode suits a device: the models of results/decide.json, evaluated for one question.

The models are fitted and validated in R (workflow/R/report/R/decide_model.R); here is only the
arithmetic of a regression, the same as on the page (workflow/page/decide.js).
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from hil.documents import read_json
from hil.errors import InputError

# What the radio does between messages -> the current that it is, in the document's currents.
SLEEPS = {"awake": "listen", "modem": "modem_sleep", "light": "light_sleep"}
# What a reader can rank by: the quantities of the document and what follows from them.
RANKED = ("battery", "charge", "bytes", "airtime", "ack", "delivered", "ram", "flash")
# Of these more is better.
MORE_IS_BETTER = ("battery", "delivered")
_DAY_S = 86_400


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


def estimate(document: dict[str, Any], quantity: str, fit: Any, question: Question) -> Value | None:
    """What a fit says of a question: mean and 95 % interval; None where its trials do not."""
    row = _row_of(document, quantity, question)
    used = [i for i, x in enumerate(row) if x != 0]
    if any(fit["coef"][i] is None for i in used):
        return None
    mean = sum(fit["coef"][i] * row[i] for i in used)
    half = math.nan
    if fit["df"] > 0:
        variance = sum(row[i] * fit["cov"][i][j] * row[j] for i in used for j in used)
        half = document["t975"][fit["df"] - 1] * math.sqrt(max(variance, 0.0))
    back = math.exp if document["errors"][quantity]["scale"] == "log" else float
    low, high = (max(0.0, back(mean + d)) if fit["df"] > 0 else math.nan for d in (-half, half))
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


def values_of(
    document: dict[str, Any], mode: dict[str, Any], question: Question
) -> dict[str, Value | None]:
    """All quantities of one mode, by the names of RANKED."""

    def fitted(quantity: str) -> Value | None:
        fit = mode["fits"].get(quantity)
        return estimate(document, quantity, fit, question) if fit else None

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
        "ram": exact(mode["ram"]),
        "flash": exact(mode["flash"]),
    }


def check(document: dict[str, Any], question: Question) -> None:
    """InputError for a question outside what was measured: nothing is told beyond it."""
    for name, unit in (("payload", "bytes"), ("interval", "s")):
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
        raise InputError("--load", question.load, "no trial has it", f"use one of {loads}")


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
    """The modes that give the guarantee, the best first, those of which no trial tells last."""
    order = document["guarantees"]
    least = order.index(question.guarantee)
    modes = [mode for mode in document["modes"] if order.index(mode["guarantee"]) >= least]
    found = [(mode, values_of(document, mode, question)) for mode in modes]
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


def nearest_trial(mode: dict[str, Any], question: Question) -> dict[str, Any]:
    """The trial of a mode whose condition is closest to the question's."""

    def distance(trial: dict[str, Any]) -> tuple[float, str]:
        strange = 10.0 * (trial["load"] != question.load)
        strange += 10.0 * (trial["sleep"] != (question.sleep != "awake"))
        apart = abs(math.log10(trial["interval"] / question.interval))
        apart += abs(math.log10(trial["payload"] / question.payload))
        return strange + apart, trial["trial"]

    return min(mode["measured"], key=distance)


def commands(document: dict[str, Any], question: Question, rows: list[Row]) -> list[str]:
    """The commands that run again the trials nearest to the question, of the best three modes."""
    by_name = {mode["name"]: mode for mode in document["modes"]}
    nearest = [nearest_trial(by_name[row.mode], question) for row in rows[:3]]
    return [
        f"thinwire trial run {trial['study']} --trial {trial['trial']} --out /tmp/again"
        for trial in nearest
    ]


def study_text(document: dict[str, Any], question: Question, name: str) -> str:
    """A study of exactly this question, for workflow/studies: five runs of each mode."""
    load = next((one for one in document["loads"] if one["name"] == question.load), None)
    if load is None:
        raise InputError("--load", question.load, "no trial has it", "write a study of your own")
    order = document["guarantees"]
    modes = [
        mode["name"]
        for mode in document["modes"]
        if order.index(mode["guarantee"]) >= order.index(question.guarantee)
    ]
    level = {
        "mode": modes,
        "payload_bytes": [round(question.payload)],
        "interval_ms": [round(question.interval * 1000)],
        "modem_sleep": [question.sleep != "awake"],
        "messages": [20],
        **{key: [value] for key, value in load["parameters"].items()},
    }
    block = {"repetitions": 5, "blocks": [level]}
    study = {
        "study": name,
        "title": f"{question.payload:g} bytes every {question.interval:g} s",
        "question": "Which protocol and mode suits this device?",
        "constants": {
            "role": "publish",
            "nagle": False,
            "keepalive_s": 60,
            "link": "air",
            "wifi_standard": "n",
        },
        "profiles": {"quick": block, "full": copy.deepcopy(block)},
    }
    return yaml.safe_dump(study, sort_keys=False, default_flow_style=None, width=100)
