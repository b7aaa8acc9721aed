"""The parameter `server_time_us`: additional time that a server spends on each message.

In the machine computing takes no virtual time (docs/lab.md); this parameter adds it. The time is
constant, or drawn from measurements of the real server, `time_us` in workflow/protocols.yaml.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

from hil.design.facts import Facts

# The percentages of messages that took at most the entries of `time_us`.
SHARES = (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99)
_DRAWS = 4096


def _draw_us(quantiles: Sequence[float], rng: random.Random) -> float:
    """Draw a time from the measured quantiles by linear interpolation."""
    share = rng.uniform(SHARES[0], SHARES[-1])
    for (low, high), (shorter, longer) in zip(pairwise(SHARES), pairwise(quantiles), strict=True):
        if share <= high:
            return shorter + (longer - shorter) * (share - low) / (high - low)
    return quantiles[-1]


def times_ns(facts: Facts, seed: int) -> tuple[int, ...]:
    """Return the server's times for successive messages, used cyclically; empty for none."""
    wanted = facts.server_time_us
    if isinstance(wanted, str):  # "measured"
        rng, quantiles = random.Random(seed), facts.server.time_us
        return tuple(round(_draw_us(quantiles, rng) * 1000) for _ in range(_DRAWS))
    return (round(wanted * 1000),) if wanted else ()
