"""Expectations: what must hold of a trial's metrics, such as `back_after_outage_s: <= 10`.

Parsed here and compared with measured values in R (workflow/R/study/R/expectations.R). The names
of metrics are those of docs/metrics.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import nearest

METRICS = ROOT / "docs" / "metrics.md"
OPERATORS = ("<=", ">=", "<", ">", "=")
# Unit -> the unit in which a limit of its kind is compared, and how many of these it is.
UNITS = {
    "us": ("s", 1e-6),
    "ms": ("s", 1e-3),
    "s": ("s", 1.0),
    "min": ("s", 60.0),
    "B": ("bytes", 1.0),
    "bytes": ("bytes", 1.0),
    "kB": ("bytes", 1e3),
    "KiB": ("bytes", 1024.0),
    "MB": ("bytes", 1e6),
    "MiB": ("bytes", 1048576.0),
    "%": ("%", 1.0),
    "messages": ("messages", 1.0),
    "frames": ("frames", 1.0),
    "packets": ("packets", 1.0),
    "mA": ("mA", 1.0),
    "uC": ("uC", 1.0),
}
# What `delivered` with a unit of % means: of the messages that the device sent.
_SHORT = {("delivered", "%"): "delivered_of_sent_pct"}
_SUFFIXES = {"s": ("_s", "_ms", "_us"), "bytes": ("_bytes",), "%": ("_pct",)}
_SUFFIXES |= {"mA": ("_ma",), "uC": ("_uc",)}
_FORM = re.compile(
    r"\s*(?P<operator><=|>=|<|>|==?)?\s*(?P<number>[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
    r"\s*(?P<unit>\S+)?\s*"
)
# A metric whose name has the first of these may have the others in its place.
_SPREAD = {"_mean_": ("_median_", "_p95_", "_p99_", "_max_"), "_least_": ("_median_", "_greatest_")}
_NAME = re.compile(r"`([a-z][a-zA-Z0-9_*]*)`")


@dataclass(frozen=True)
class Expectation:
    """One expectation.

    Attributes:
        text: as the user wrote it.
        metric: the full name of the metric.
        operator: one of OPERATORS.
        limit: in the unit `unit`, one of those to which UNITS leads; where that is empty, in the
            metric's own unit.
    """

    name: str
    text: str
    metric: str
    operator: str
    limit: float
    unit: str


@cache
def metric_names() -> tuple[str, ...]:
    """Return the names of metrics in docs/metrics.md: in the first column of tables whose head is
    `metric`, and in lists. `*` stands for any letters."""
    found: list[str] = []
    inside = False
    for line in METRICS.read_text(encoding="utf-8").splitlines():
        cells = line.split("|")
        inside = len(cells) > 1 and (inside or cells[1].strip() == "metric")
        if inside:
            found += _NAME.findall(cells[1])
        elif line.startswith(("- `", "  `")):
            found += _NAME.findall(line)
    names = [re.sub(r"_[QB](?=_|$)", "_*", name) for name in found]
    names += [
        name.replace(word, other)
        for name in names
        for word, others in _SPREAD.items()
        if word in name
        for other in others
    ]
    return tuple(dict.fromkeys(names))


def _known(name: str) -> bool:
    return any(
        re.fullmatch(re.escape(one).replace(r"\*", r"\w+"), name) for one in metric_names()
    ) or bool(re.fullmatch(r"\w+_ci95_(low|high)", name))


def _fits(metric: str, unit: str) -> bool:
    """Return whether a metric, by its name, can have a unit of this kind. One whose name has no
    unit is a count, or bytes of a message."""
    own = next((kind for kind, ends in _SUFFIXES.items() if metric.endswith(ends)), None)
    if own is not None:
        return own == unit
    return unit not in _SUFFIXES or "bytes" in metric


def _full_name(name: str, unit: str) -> str:
    """Return the metric that a name means with a unit of this kind; empty if there is none. The
    unit may be left out of the name: `memory_free_min: >= 8 kB` is `memory_free_min_bytes`."""
    if short := _SHORT.get((name, unit)):
        return short
    if _known(name) and (not unit or _fits(name, unit)):
        return name
    return next((name + end for end in _SUFFIXES.get(unit, ()) if _known(name + end)), "")


def _parse(name: str, value: str | float, source: str, key: str) -> Expectation:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    found = _FORM.fullmatch(text)
    if not found:
        remedy = f"write an operator ({', '.join(OPERATORS)}), a number and a unit, such as <= 10 s"
        raise InputError(source, key, f"'{text}' is no expectation", remedy)
    unit, scale = "", 1.0
    if word := found["unit"]:
        if word not in UNITS:
            raise InputError(
                source, key, f"unknown unit '{word}'", f"known are: {', '.join(UNITS)}"
            )
        unit, scale = UNITS[word]
    metric = _full_name(name, unit)
    if not metric and _known(name):
        raise InputError(
            source, key, f"'{found['unit']}' is no unit of this metric", "see docs/metrics.md"
        )
    if not metric:
        close = nearest(name, metric_names())
        remedy = close if close.startswith("did") else "docs/metrics.md lists them"
        raise InputError(source, key, "unknown metric", remedy)
    operator = (found["operator"] or "=").replace("==", "=")
    return Expectation(name, text, metric, operator, float(found["number"]) * scale, unit)


def parse(given: Mapping[str, Any], source: str, where: Iterable[str]) -> list[Expectation]:
    """Return the expectations of a document.

    Args:
        where: the key of each in its source, for errors.

    Raises:
        InputError: a metric or unit is unknown, or an expectation is malformed.
    """
    return [
        _parse(name, value, source, key)
        for (name, value), key in zip(given.items(), where, strict=True)
    ]
