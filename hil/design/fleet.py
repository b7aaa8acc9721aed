"""Several devices of one trial: which trials can have them, their seeds, when they are switched
on."""

from __future__ import annotations

import hashlib
import random

from hil.design.facts import Facts

# Whose emulator starts at a stated time of the clock.
BOARD = "lx106"


def problem(facts: Facts) -> str:
    """Return what the trial states that is made for a single device, or an empty text."""
    if facts.devices == 1:
        return ""
    stated = {
        "foreign": facts.foreign,
        "clients": facts.clients,
        "pace answer": facts.asks,
        "faults": facts.faults,
    }
    return next((name for name, value in stated.items() if value), "")


def seed(trial: int, number: int) -> int:
    """Return the seed of the device of this number, 32 bits, from the seed of its trial. That of
    the first device is the trial's own."""
    if number == 1:
        return max(1, trial)
    digest = hashlib.sha256(f"{trial}/device/{number}".encode()).digest()
    return max(1, int.from_bytes(digest[:4], "big"))


def starts_ns(facts: Facts, trial: int) -> list[int]:
    """Return when each device is switched on, in ns after the trial's start: at random, uniformly
    over the spread; all at 0 without one.

    Args:
        trial: the trial's seed.
    """
    source = random.Random(f"devices/{trial}")
    spread_ns = round(facts.spread_s * 1e9)
    return [source.randint(0, spread_ns) for _ in range(facts.devices)]
