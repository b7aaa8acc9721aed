"""The parameter `server_time_us`: how long a server takes for a message, beyond what passes anyway.

Where computing takes no time (docs/lab.md) this puts it back: the same time for each message, or
one drawn from what was measured of the real server, `time_us` in the table of protocols.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from hil.design import plan
from hil.errors import InputError

NAME, MEASURED = "server_time_us", "measured"
# The shares of messages, in per cent, that took no longer than the entries of `time_us`.
SHARES = (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99)
_DRAWS = 4096


def check(parameters: dict[str, Any], source: str | Path) -> None:
    """Raises InputError if the trial's server cannot take a time."""
    server = plan.server(parameters)
    if parameters.get(NAME) and not server.time_us:
        raise InputError(
            source,
            NAME,
            f"the server '{server.name}' cannot take a stated time for a message",
            "remove it, or choose a server that has time_us in workflow/protocols.yaml",
        )


def _draw_us(quantiles: Sequence[float], chance: random.Random) -> float:
    """A time between the measured quantiles, at a place that is equally likely everywhere."""
    share = chance.uniform(SHARES[0], SHARES[-1])
    for (low, high), (shorter, longer) in zip(pairwise(SHARES), pairwise(quantiles), strict=True):
        if share <= high:
            return shorter + (longer - shorter) * (share - low) / (high - low)
    return quantiles[-1]


def times_ns(parameters: dict[str, Any], seed: int) -> tuple[int, ...]:
    """What the server takes for one message after the other, over again; empty: nothing."""
    wanted = parameters.get(NAME, 0)
    if wanted == MEASURED:
        chance, quantiles = random.Random(seed), plan.server(parameters).time_us
        return tuple(round(_draw_us(quantiles, chance) * 1000) for _ in range(_DRAWS))
    return (round(wanted * 1000),) if wanted else ()
