"""Support for the tests of `thinwire hunt`: trials that were measured, and a judge of them."""

from __future__ import annotations

from typing import Any

from hil.commands.hunt_judge import Judge, wanted
from hil.commands.hunt_trials import Examined
from hil.design import expectations
from hil.design.schedules import Schedule
from hil.design.shrinking import Case

OWN = expectations.parse(
    {"delivered": "100 %", "duplicates": 0}, "test", ["delivered", "duplicates"]
)
ALL = wanted(OWN)


def rows(**values: float | None) -> tuple[dict[str, Any], ...]:
    """Return rows of the analysis: every expectation holds, but for the given values."""
    return tuple(
        {"value": value, "unit": "", "holds": False, "reason": "why"}
        if one.metric in values and (value := values[one.metric], True)[1]
        else {"value": one.limit, "unit": "", "holds": True, "reason": ""}
        for one in ALL
    )


def examined(faults: Schedule, over_s: float | None = 100.0, **values: float | None) -> Examined:
    return Examined(
        Case(faults, 60), "ok", "", "digest", rows(**values), arrived_s=(90.0, 150.0), over_s=over_s
    )


def judge(protocol: str = "mqtt", qos: int | None = None, **values: float | None) -> Judge:
    return Judge(OWN, ALL, examined([], back_after_fault_s=None, **values), protocol, qos)
