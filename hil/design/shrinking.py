"""Shrink what a search has found: fewer faults, a shorter trial, simpler and earlier faults.

Delta debugging (A. Zeller, R. Hildebrandt: Simplifying and isolating failure-inducing input, IEEE
TSE 28(2), 2002) over the list of faults, then over the keys of each. Candidates come in a fixed
order and the first one that fails is taken, so the result does not depend on how many are tried at
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hil.design.schedules import Fault, Schedule

_SHORTEST_S = 2
_MOST_ROUNDS = 4


@dataclass(frozen=True)
class Case:
    """A trial of a search: its faults, and how long the device runs, in s."""

    faults: Schedule
    duration_s: int


# Given candidates, the number of the first one that still fails; None if none does.
FirstFailing = Callable[[Sequence[Case]], int | None]


def _fewer(case: Case) -> Iterator[Case]:
    """Yield the case with one half of its faults, with the other, and without each one."""
    count = len(case.faults)
    half = count // 2
    if count > 3:
        yield Case(case.faults[:half], case.duration_s)
        yield Case(case.faults[half:], case.duration_s)
    if count > 1:
        for left_out in reversed(range(count)):
            kept = [fault for at, fault in enumerate(case.faults) if at != left_out]
            yield Case(kept, case.duration_s)


def _earlier(time_s: float, steps_s: Sequence[float]) -> Iterator[float]:
    """Yield rounder times that are no later, the roundest first; for one that is a multiple of a
    step also the multiple before it."""
    for step in steps_s:
        found = round(int(time_s / step + 1e-9) * step, 3)
        if found < time_s:
            yield found
        else:
            if time_s > 0:
                yield round(time_s - step, 3)
            return


def _simpler_values(given: Fault, key: str, values: Sequence[Any]) -> list[Fault]:
    """Return a fault, or its packet, with each simpler value of one key, the simplest first."""
    known = list(values)
    place = known.index(given[key]) if given[key] in known else len(known)
    rest = {name: old for name, old in given.items() if name != key}
    return [rest if value is None else rest | {key: value} for value in known[:place]]


def _with_number(packet: Fault) -> list[Fault]:
    number = packet.get("number", 1)
    fewer = dict.fromkeys((1, number // 2, number - 1))
    return [packet | {"number": one} for one in fewer if 0 < one < number]


def _dimensions(
    values: Mapping[str, Sequence[Any]], steps_s: Sequence[float]
) -> list[Callable[[Fault], list[Fault]]]:
    """Return functions of a fault, each of which returns it with less of one kind: an earlier
    packet, a rounder or earlier time, without a key or with a simpler value, the simplest first."""

    def of_packet(change: Callable[[Fault], list[Fault]]) -> Callable[[Fault], list[Fault]]:
        return lambda fault: (
            [fault | {"at": one} for one in change(fault["at"])] if ("at" in fault) else []
        )

    def of_key(key: str) -> Callable[[Fault], list[Fault]]:
        return lambda fault: _simpler_values(fault, key, values[key]) if key in fault else []

    def at_time(fault: Fault) -> list[Fault]:
        times = dict.fromkeys(_earlier(fault["at_s"], steps_s)) if "at_s" in fault else ()
        return [fault | {"at_s": time_s} for time_s in times]

    keys = sorted(set(values) - {"number"})
    return [
        at_time,
        of_packet(_with_number),
        *(of_packet(of_key(key)) for key in keys),
        *map(of_key, keys),
    ]


def _shorter(case: Case) -> Iterator[Case]:
    """Yield the case in a shorter trial."""
    for duration_s in dict.fromkeys((case.duration_s // 2, case.duration_s * 3 // 4)):
        if _SHORTEST_S <= duration_s < case.duration_s:
            yield Case(case.faults, duration_s)


def shrink(
    case: Case,
    first_failing: FirstFailing,
    values: Mapping[str, Sequence[Any]],
    steps_s: Sequence[float],
) -> Case:
    """Return the smallest case that was found to fail still; `case` itself fails.

    Args:
        values: of each key, the simplest first, as Space.values.
        steps_s: of times, from the roundest to the finest.
    """

    def taken(candidates: Iterator[Case]) -> bool:
        nonlocal case
        known = list(candidates)
        number = first_failing(known) if known else None
        if number is not None:
            case = known[number]
        return number is not None

    def with_one(at: int, change: Callable[[Fault], list[Fault]]) -> Iterator[Case]:
        for fault in change(case.faults[at]):
            yield Case([*case.faults[:at], fault, *case.faults[at + 1 :]], case.duration_s)

    dimensions = _dimensions(values, steps_s)
    for _ in range(_MOST_ROUNDS):
        while taken(_fewer(case)):
            pass
        while taken(_shorter(case)):  # early, since it makes what follows cheaper
            pass
        changed = [
            taken(with_one(at, change)) for at in range(len(case.faults)) for change in dimensions
        ]
        if not any(changed):
            break
    return case
