"""Planned interruptions of a trial: restarts of the server and outages of the link. Seconds.

Outages begin in the middle of their period and restarts after a quarter of theirs. So no two
coincide with periods such as 20 minutes and an hour. An interruption that would end less than a
minute before the device stops sending is left out, so that the device can recover from each.
Interruptions at stated times are never left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_RECOVERY_S = 60.0


@dataclass(frozen=True)
class Interruption:
    """From `begin_s` to `end_s` after the start of link and board."""

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
    """Return the outages of the link of a device that sends for `sending_s`."""
    return _repeated(period_s, length_s, 0.5, sending_s)


def restarts(period_s: float, length_s: float, sending_s: float) -> list[Interruption]:
    """Return the restarts of the server of a device that sends for `sending_s`."""
    return _repeated(period_s, length_s, 0.25, sending_s)


def stated(spans: Iterable[tuple[float, float]]) -> list[Interruption]:
    """Return the interruptions with these begins and ends."""
    return [Interruption(begin_s, end_s) for begin_s, end_s in spans]


def disorder(spans: Iterable[tuple[float, float]], sending_s: float) -> str:
    """Return what is wrong with stated begins and ends of a device that sends for `sending_s`; an
    empty text if each begins before it ends, after the one before, and ends in time."""
    last_s = 0.0
    for begin_s, end_s in spans:
        if begin_s >= end_s:
            return f"[{begin_s:g}, {end_s:g}] ends before it begins"
        if begin_s < last_s:
            return f"[{begin_s:g}, {end_s:g}] begins before the one before it ends, {last_s:g} s"
        if end_s >= sending_s:
            return f"[{begin_s:g}, {end_s:g}] ends after the device, {sending_s:g} s"
        last_s = end_s
    return ""
