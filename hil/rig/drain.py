"""The end of a trial that a load leads: with its last message, or when the device has taken what
waits for it."""

from __future__ import annotations

from hil.design.facts import Facts

# A device that has taken no message for so long, in seconds, has none to take: several of the
# least retransmission times of TCP (RFC 6298, section 2.4).
QUIET_S = 2.0


class Drain:
    """How long a trial goes on once its load is over: a trial's `drain_s` at most, until the device
    has taken no message for QUIET_S; without `drain_s` not at all."""

    def __init__(self, facts: Facts) -> None:
        self._limit_s = float(facts.drain_s)
        self._began_s: float | None = None
        self._taken_s = 0.0

    def notice(self, board_log: bytes, now_s: float) -> None:
        """New lines of the board's log, read `now_s` after the trial's begin."""
        if b'"ev":"received"' in board_log:
            self._taken_s = now_s

    def over(self, now_s: float) -> bool:
        """The load is over; may the trial end?"""
        if self._began_s is None:
            self._began_s = now_s
        end_s = min(max(self._began_s, self._taken_s) + QUIET_S, self._began_s + self._limit_s)
        return now_s >= end_s
