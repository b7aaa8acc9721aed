"""A rule that involves several parameters of a trial, and those of interruptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hil.design import interruptions
from hil.design.facts import Facts


@dataclass(frozen=True)
class Rule:
    """If `broken`, the parameter `key` is refused with the problem and the remedy."""

    key: str
    broken: Callable[[Facts], object]
    problem: Callable[[Facts], str]
    remedy: Callable[[Facts], str] | str


def pair(period: str, length: str) -> Sequence[Rule]:
    """Period and length of an interruption: both or neither, and the length is shorter."""

    def of(f: Facts, name: str) -> float:
        return float(getattr(f, name))

    def missing(absent: str, given: str) -> Rule:
        return Rule(
            absent,
            lambda f: of(f, given) and not of(f, absent),
            lambda f: f"is missing or 0, but {given} is not",
            "give both, or neither",
        )

    return (
        missing(length, period),
        missing(period, length),
        Rule(
            length,
            lambda f: of(f, length) and of(f, length) >= of(f, period),
            lambda f: f"{of(f, length):g} s is not shorter than {period}, {of(f, period):g} s",
            "give a shorter interruption or a longer period",
        ),
    )


def spans(key: str, period: str) -> Sequence[Rule]:
    """Interruptions at stated times: in order, within the trial, and instead of periodic ones."""
    return (
        Rule(
            key,
            lambda f: getattr(f, key) and getattr(f, period),
            lambda f: f"is given, and {period}, too",
            "give one of the two",
        ),
        Rule(
            key,
            lambda f: interruptions.disorder(getattr(f, key), f.sending_s),
            lambda f: interruptions.disorder(getattr(f, key), f.sending_s),
            "give spans in order that end before the device does",
        ),
    )
