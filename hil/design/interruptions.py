"""What interrupts a trial on purpose: restarts of the server, outages of the link. Seconds.

Outages begin in the middle of their period, restarts after a quarter of theirs, so that with
periods such as 20 minutes and an hour no two of them meet. One that would not be over a minute
before the device stops sending does not happen: every one can be recovered from.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.design import loops
from hil.errors import InputError

_RECOVERY_S = 60.0
# Parameters of the two kinds: period, length, position of the first in its period.
_OUTAGE = ("outage_every_s", "outage_s", 0.5)
_RESTART = ("server_restart_s", "server_down_s", 0.25)


@dataclass(frozen=True)
class Interruption:
    """From `begin_s` to `end_s`, counted from the moment at which link and board start."""

    begin_s: float
    end_s: float


def sending_s(parameters: dict[str, Any]) -> float:
    """How long the device sends: its duration, or its messages at their interval."""
    counted_s = parameters["messages"] * loops.pace_ms(parameters) / 1000
    spans = [float(parameters["duration_s"]), counted_s]
    return min((span for span in spans if span), default=0.0)


def _plan(parameters: dict[str, Any], kind: tuple[str, str, float]) -> list[Interruption]:
    period, length = parameters[kind[0]], parameters[kind[1]]
    if not period or not length:
        return []
    found, begin = [], period * kind[2]
    while begin + length + _RECOVERY_S <= sending_s(parameters):
        found.append(Interruption(begin, begin + length))
        begin += period
    return found


def outages(parameters: dict[str, Any]) -> list[Interruption]:
    """When the link loses every frame."""
    return _plan(parameters, _OUTAGE)


def restarts(parameters: dict[str, Any]) -> list[Interruption]:
    """When the server is down."""
    return _plan(parameters, _RESTART)


def check(parameters: dict[str, Any], source: str | Path) -> None:
    """Raise InputError where the interruptions of a trial make no sense.

    Raises:
        InputError: one of two parameters is missing, an interruption is longer than its period, or
            nothing would be left after it.
    """
    for every, length, _ in (_OUTAGE, _RESTART):
        period, lasts = parameters[every], parameters[length]
        if bool(period) != bool(lasts):
            given, absent = (every, length) if period else (length, every)
            raise InputError(
                source, absent, f"is missing or 0, but {given} is not", "give both, or neither"
            )
        if lasts and lasts >= period:
            raise InputError(
                source,
                length,
                f"{lasts:g} s is not shorter than {every}, {period:g} s",
                "give a shorter interruption or a longer period",
            )
    transient = parameters["protocol"] == "amqp" and parameters["clean_session"]
    if transient and restarts(parameters):
        raise InputError(
            source,
            "clean_session",
            "the queue of a clean session does not outlive its broker's restart",
            "set it to false",
        )
