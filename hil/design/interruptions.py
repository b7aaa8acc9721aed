"""What interrupts a trial on purpose: restarts of the server, outages of the link. Seconds.

Outages begin in the middle of their period, restarts after a quarter of theirs, so that with
periods such as 20 minutes and an hour no two of them coincide. An interruption that would end less
than a minute before the device stops sending is left out: the device can recover from each.
"""

from __future__ import annotations

from dataclasses import dataclass

_RECOVERY_S = 60.0


@dataclass(frozen=True)
class Interruption:
    """From `begin_s` to `end_s`, counted from the moment at which link and board start."""

    begin_s: float
    end_s: float


def _repeated(
    period_s: float, length_s: float, first: float, sending_s: float
) -> list[Interruption]:
    if not period_s or not length_s:
        return []
    found, begin_s = [], period_s * first
    while begin_s + length_s + _RECOVERY_S <= sending_s:
        found.append(Interruption(begin_s, begin_s + length_s))
        begin_s += period_s
    return found


def outages(period_s: float, length_s: float, sending_s: float) -> list[Interruption]:
    """When the link of a device that sends for `sending_s` loses every frame."""
    return _repeated(period_s, length_s, 0.5, sending_s)


def restarts(period_s: float, length_s: float, sending_s: float) -> list[Interruption]:
    """When the server of a device that sends for `sending_s` is down."""
    return _repeated(period_s, length_s, 0.25, sending_s)
