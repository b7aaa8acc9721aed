"""The end of a trial with a load: after the last message, or when the device has received all that
is queued for it."""

from __future__ import annotations

from hil.design.facts import Facts

# A device that has received no message for so long, in seconds, has none left to receive: several
# times the minimum retransmission timeout of TCP (RFC 6298, section 2.4).
QUIET_S = 2.0


class Drain:
    """Decides how long a trial continues after its load has finished: until the device has received
    no message for QUIET_S, at most `drain_s`; without `drain_s` not at all."""

    def __init__(self, facts: Facts) -> None:
        self._limit_s = float(facts.drain_s)
        self._began_s: float | None = None
        self._received_s = 0.0

    def notice(self, board_log: bytes, now_s: float) -> None:
        """Process new lines of the board's log, read `now_s` after the trial's start."""
        if b'"ev":"received"' in board_log:
            self._received_s = now_s

    def done(self, now_s: float) -> bool:
        """Return whether the trial may end; call it once the load has finished."""
        if self._began_s is None:
            self._began_s = now_s
        end_s = min(max(self._began_s, self._received_s) + QUIET_S, self._began_s + self._limit_s)
        return now_s >= end_s
