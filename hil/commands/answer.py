"""The answer of `thinwire ask` as a sentence that a person would say."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hil.commands.ranking import Row
from hil.commands.recommend import Question, Value

_SPOKEN = 4  # modes that a sentence names
UNITS = {
    "battery": "days",
    "charge": "µC",
    "bytes": "bytes",
    "airtime": "µs",
    "ack": "ms",
    "delivered": "%",
    "ram": "bytes",
    "flash": "bytes",
}


def number(value: float) -> str:
    """Format a number with three significant digits; `?` for NaN."""
    if math.isnan(value):
        return "?"
    if value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def interval(value: Value) -> str:
    """Format a value with its interval: "35.9 [35.1, 36.6]"; an exact value alone."""
    if value.low == value.high:
        return number(value.value)
    return f"{number(value.value)} [{number(value.low)}, {number(value.high)}]"


def _listed(labels: Sequence[str]) -> str:
    """Join labels as in a sentence; name the first few and count the others."""
    if len(labels) > _SPOKEN:
        return f"{', '.join(labels[:_SPOKEN])} and {len(labels) - _SPOKEN} more"
    return " and ".join(filter(None, [", ".join(labels[:-1]), labels[-1]]))


def _valued(row: Row, question: Question) -> str:
    """Name a mode with its value of the quantity that decides, or its score if several do."""
    names = list(question.weights)
    if len(names) > 1:
        return f"{row.label}, score {number(row.score or math.nan)}"
    value = row.values[names[0]]
    return f"{row.label}, {interval(value)} {UNITS[names[0]]}" if value else row.label


def sentences(question: Question, rows: list[Row]) -> str:
    """Return the answer: the best mode with its value, those that the trials do not separate from
    it, and the next one that they do."""
    by = ", ".join(
        name if weight == 1 else f"{name}={weight:g}" for name, weight in question.weights.items()
    )
    ranked = [row for row in rows if not row.baseline and row.score is not None]
    if not ranked:
        return f"By {by}: no mode has data but raw TCP and UDP, which no product speaks."
    best, tied = ranked[0], [row for row in ranked[1:] if row.tied]
    behind = [row for row in ranked[1:] if not row.tied]
    first = _valued(best, question)
    labels = [row.label for row in ranked]
    if tied and not behind:
        return (
            f"By {by}: no difference. The trials do not separate {_listed(labels)} ({first})."
            " Rank by another quantity (--by)."
        )
    parts = [f"By {by}: {first}."]
    if tied:
        labels = [row.label for row in tied]
        parts.append(f"The trials do not separate it from {_listed(labels)}.")
    if behind:
        parts.append(f"Next: {_valued(behind[0], question)}.")
    return " ".join(parts)
