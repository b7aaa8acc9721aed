"""The ranking of `thinwire ask`: which mode is best, which ones the trials do not separate from it,
and which are baselines. The page does the same (workflow/page/rank.js)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hil.commands.recommend import (
    ASKED,
    MORE_IS_BETTER,
    Question,
    Value,
    fitting,
    values_of,
    within,
)


class Row(NamedTuple):
    """The answer for one mode; None where there is no data.

    Attributes:
        score: weighted geometric mean of the ratios to the best ranked mode; 1 is the best.
        measured: a trial had exactly this condition.
        baseline: the mode is raw TCP or UDP, which no product speaks: it is not ranked.
        tied: the trials do not separate this mode from the best one.
    """

    mode: str
    label: str
    values: dict[str, Value | None]
    score: float | None
    measured: bool
    baseline: bool
    tied: bool


def _score(
    weights: dict[str, float], values: dict[str, Value | None], best: dict[str, float]
) -> float | None:
    """Return the weighted geometric mean of the ratios to the best; None if a value is unknown."""
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


def _overlap(one: Value | None, other: Value | None) -> bool:
    """Return whether the intervals of two values meet. An exact value is an interval, too."""
    return bool(one and other and one.low <= other.high and one.high >= other.low)


def _tied(row: Row, best: Row, question: Question, least: float) -> bool:
    """Return whether a row's difference from the best is below the least one, or, where a single
    quantity decides, within its interval."""
    if row.score is None or best.score is None:
        return False
    if row.score <= best.score * (1 + least):
        return True
    names = list(question.weights)
    return len(names) == 1 and _overlap(row.values[names[0]], best.values[names[0]])


def is_baseline(mode: dict[str, Any], question: Question) -> bool:
    """Return whether a mode is a baseline: raw TCP or UDP, unless the question names it."""
    return bool(mode["baseline"]) and mode["name"] not in question.modes


def rank(document: dict[str, Any], question: Question) -> list[Row]:
    """Rank the modes that give the guarantee and were measured around the question.

    The best comes first, modes without data follow, baselines come last.
    """
    found = [
        (mode, is_baseline(mode, question), values_of(document, mode, question))
        for mode in fitting(document, question)
        if within(mode, ASKED, question)
    ]
    ranked = [values for _, baseline, values in found if not baseline]
    best = {}
    for name in question.weights:
        known = [value.value for values in ranked if (value := values[name]) is not None]
        best[name] = (max if name in MORE_IS_BETTER else min)(known, default=math.nan)
    rows = [
        Row(
            mode["name"],
            mode["label"],
            values,
            _score(question.weights, values, best),
            _asked(mode, question),
            baseline,
            False,
        )
        for mode, baseline, values in found
    ]
    rows.sort(key=lambda row: (row.baseline, math.inf if row.score is None else row.score))
    return [
        row._replace(tied=row is not rows[0] and _tied(row, rows[0], question, document["least"]))
        for row in rows
    ]
