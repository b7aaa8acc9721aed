"""The parameter `server_time_us`: how long a server takes for a message, beyond what passes anyway.

Where computing takes no time (docs/lab.md) this puts it back: the same time for each message, or
one drawn from what was measured of the real server, `time_us` in the table of protocols.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

from hil.design.facts import Facts

MEASURED = "measured"
# The shares of messages, in per cent, that took no longer than the entries of `time_us`.
SHARES = (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99)
_DRAWS = 4096


def _draw_us(quantiles: Sequence[float], rng: random.Random) -> float:
    """A time between the measured quantiles, at a place that is equally likely everywhere."""
    share = rng.uniform(SHARES[0], SHARES[-1])
    for (low, high), (shorter, longer) in zip(pairwise(SHARES), pairwise(quantiles), strict=True):
        if share <= high:
            return shorter + (longer - shorter) * (share - low) / (high - low)
    return quantiles[-1]


def times_ns(facts: Facts, seed: int) -> tuple[int, ...]:
    """The server's times for successive messages, used cyclically; empty if it spends none."""
    wanted = facts.server_time_us
    if isinstance(wanted, str):  # MEASURED
        rng, quantiles = random.Random(seed), facts.server.time_us
        return tuple(round(_draw_us(quantiles, rng) * 1000) for _ in range(_DRAWS))
    return (round(wanted * 1000),) if wanted else ()
