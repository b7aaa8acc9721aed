"""Published times as instructions and a wait: time = cycles * instructions / clock + wait.

A published time is known to half a unit of its last digit. What all of them together leave open for
the two unknowns is exact: pairs of bounds, since each bound is a line (elimination of one unknown).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

Interval = tuple[float, float]


@dataclass(frozen=True)
class Timed:
    """A published time: `seconds` that a cycle an instruction would take, `published` seconds."""

    name: str
    mhz: int
    seconds: float
    published: float

    def bounds(self, half: float) -> Interval:
        return self.published - half, self.published + half


@dataclass(frozen=True)
class Model:
    cycles: float
    wait_s: float

    def predict(self, timed: Timed) -> float:
        return self.cycles * timed.seconds + self.wait_s


def through(a: Timed, b: Timed, at_a: float, at_b: float) -> Model:
    """The model with these times for a and b. Raises ZeroDivisionError when these are alike."""
    cycles = (at_b - at_a) / (b.seconds - a.seconds)
    return Model(cycles, at_a - cycles * a.seconds)


def calibrate(a: Timed, b: Timed) -> Model:
    return through(a, b, a.published, b.published)


def predicted(a: Timed, b: Timed, timed: Timed, half: float) -> Interval:
    """All that the calibration on a and b can give, these being known to `half`."""
    times = [
        through(a, b, at_a, at_b).predict(timed)
        for at_a, at_b in product(a.bounds(half), b.bounds(half))
    ]
    return min(times), max(times)


def open_cycles(all_timed: list[Timed], half: float) -> Interval:
    """The cycles an instruction with which one wait, not below 0, explains each time.

    The low end lies above the high one when there are none.
    """
    low, high = 0.0, float("inf")
    for one in all_timed:
        high = min(high, one.bounds(half)[1] / one.seconds)
        for other in all_timed:
            more = other.seconds - one.seconds
            if more > 0:
                low = max(low, (other.bounds(half)[0] - one.bounds(half)[1]) / more)
                high = min(high, (other.bounds(half)[1] - one.bounds(half)[0]) / more)
    return low, high


def open_wait(all_timed: list[Timed], half: float) -> Interval:
    """The waits, in seconds, with which some cycles an instruction explain each time; as above."""
    low, high = 0.0, float("inf")
    for one in all_timed:
        high = min(high, one.bounds(half)[1])
        for other in all_timed:
            # (least - wait) / one.seconds <= cycles <= (most - wait) / other.seconds
            least, most = one.bounds(half)[0], other.bounds(half)[1]
            more = one.seconds - other.seconds
            bound = most * one.seconds - least * other.seconds
            if more > 0:
                high = min(high, bound / more)
            elif more < 0:
                low = max(low, bound / more)
    return low, high
