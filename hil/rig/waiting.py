"""How long the rig waits for a trial, and how often it checks one."""

from __future__ import annotations

from hil.design.facts import Facts
from hil.rig.boards import Board

# How often the rig checks a trial, in seconds: a thousandth of the trial, within these limits; more
# often while a load waits for the board.
_POLL_S, _LONGEST_POLL_S, EAGER_POLL_S = 1.0, 5.0, 0.25
# A run begins with the first connection, which a lossy link may delay by a minute. At its end the
# firmware waits for acknowledgements (drain_ms, 10 s) and its goodbye (FINISH_LIMIT, 2 s).
_SLACK_S = 120.0


def expected_s(facts: Facts) -> float:
    """Return how long a board may be busy, in s: its sending time, and time for acknowledgements.

    A load waits for answers before it continues, so with a load a given duration counts alone.
    """
    seconds = facts.duration_s or float("inf")
    if facts.messages and not (facts.clients and facts.duration_s):
        seconds = min(seconds, facts.counted_s * 2)
    return seconds + facts.drain_s + facts.spread_s + _SLACK_S


def stops_s(facts: Facts, board: Board) -> float:
    """Return when the rig ends the trial of a board that does not stop by itself, in s."""
    ends_itself = board.ends_itself and not facts.resets_device
    return float("inf") if ends_itself else float(facts.duration_s)


def poll_s(facts: Facts) -> float:
    """Return the time between two checks, in s: each check slows a long trial down."""
    return min(_LONGEST_POLL_S, max(_POLL_S, facts.sending_s / 1000))
