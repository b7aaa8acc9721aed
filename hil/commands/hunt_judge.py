"""What breaks in a trial of `thinwire hunt`: the rules by which a find is one (docs/hunt.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hil.commands.hunt_trials import Examined
from hil.design import expectations, schedules
from hil.design.expectations import Expectation

OUTCOME = "outcome_ok"
BACK = "back_after_fault_s"


@dataclass(frozen=True)
class Violation:
    """A broken expectation. `said` is the value with its unit, or why there is none."""

    expectation: Expectation
    said: str
    value: float | None = None

    @property
    def kind(self) -> str:
        """What is the same in two trials that break for the same reason."""
        if self.expectation.metric != OUTCOME:
            return self.expectation.metric
        return re.sub(r"\d+", "N", self.said)


def wanted(own: Sequence[Expectation]) -> list[Expectation]:
    """Return what is judged: the expectations of a thinwire.yaml, and the default ones of metrics
    that it does not state."""
    given = schedules.settings()["expect"]
    source = str(schedules.SETTINGS)
    default = expectations.parse(given, source, [f"expect.{name}" for name in given])
    stated = {one.metric for one in own}
    return [*own, *(one for one in default if one.metric not in stated)]


class Judge:
    """Judges trials by the trial without faults.

    Attributes:
        left_out: expectations that are not judged, with the reason; the file's own come first.
        span_s: between the first and the last message of the trial without faults.
        protocol, qos: of the trials; no QoS where the protocol has none.
        settle_s: how long before that last message every fault has to be over.
    """

    def __init__(
        self,
        own: Sequence[Expectation],
        all_of_them: Sequence[Expectation],
        baseline: Examined,
        protocol: str,
        qos: int | None = None,
    ) -> None:
        self._rules = schedules.settings()
        self.protocol, self.qos = protocol, qos
        self._own = {one.metric for one in own}
        self._all = list(all_of_them)
        self._last_s = max(baseline.arrived_s, default=None)
        duration_s = float(baseline.case.duration_s)
        self.span_s = self._last_s - min(baseline.arrived_s) if self._last_s else duration_s
        back = next((one for one in self._all if one.metric == BACK), None)
        self.left_out: list[tuple[Expectation, str]] = []
        self._judged: set[str] = set()
        for expectation, row in zip(self._all, baseline.rows, strict=True):
            if reason := self._obstacle(expectation, row):
                self.left_out.append((expectation, reason))
            else:
                self._judged.add(expectation.metric)
        self.settle_s = min(float(self._rules["settle_s"]), self.span_s / 3)
        if back and BACK in self._judged:
            self.settle_s = back.limit

    def _obstacle(self, expectation: Expectation, row: dict[str, Any]) -> str:
        """Return why an expectation is not judged; an empty text if it is."""
        metric, own = expectation.metric, expectation.metric in self._own
        if metric in self._rules["after_faults"]:
            if metric == BACK and expectation.limit >= self.span_s / 2:
                return f"needs messages for twice as long, and they span {self.span_s:.1f} s"
            return ""
        if row["holds"]:
            return ""
        if row.get("value") is None:
            return f"not measured without faults: {row['reason']}" if own else "does not apply"
        return f"does not hold without faults: {row['value']:g} {row['unit']}".rstrip()

    @property
    def judged(self) -> list[Expectation]:
        """The expectations that are judged."""
        return [one for one in self._all if one.metric in self._judged]

    @property
    def over_by_s(self) -> float | None:
        """When every fault has to be over, s since 1970; None if nobody knows when messages
        arrive."""
        return None if self._last_s is None else self._last_s - self.settle_s

    def in_time(self, examined: Examined) -> bool:
        """Return whether all faults of a trial were over so early that the device could recover."""
        if examined.over_s is None:
            return False
        return self.over_by_s is None or examined.over_s <= self.over_by_s

    def violations(self, examined: Examined) -> list[Violation]:
        """Return what is broken in a trial."""
        if examined.lab_failure:
            return []
        if examined.outcome != "ok":
            broken = [one for one in self.judged if one.metric == OUTCOME]
            return [Violation(one, examined.reason or examined.outcome) for one in broken]
        found = []
        for expectation, row in zip(self._all, examined.rows, strict=True):
            if row["holds"] or not self._applies(expectation.metric, examined):
                continue
            value = row.get("value")
            absent_fails = expectation.metric in self._own or expectation.metric == BACK
            if value is not None:
                found.append(Violation(expectation, f"{value:.4g} {row['unit']}".strip(), value))
            elif absent_fails and examined.over_s not in (None, float("-inf")):
                found.append(Violation(expectation, f"not measured: {row['reason']}"))
        return found

    def _applies(self, metric: str, examined: Examined) -> bool:
        """Return whether a metric is judged in a trial with these faults."""
        faults, rules = examined.case.faults, self._rules
        if metric not in self._judged:
            return False
        if metric not in rules["counts"] and not self.in_time(examined):
            return False
        damaged = any(key in fault for fault in faults for key in rules["damage"]["keys"])
        if damaged and not self._judged_damaged(metric):
            return False
        kinds = {fault["kind"] for fault in faults}
        return not any(self._excuses(one, metric, kinds) for one in rules["excused"])

    def _excuses(self, excuse: dict[str, Any], metric: str, kinds: set[str]) -> bool:
        """Return whether faults of these kinds explain a violation."""
        fits = excuse.get("qos", self.qos) == self.qos
        return fits and metric in excuse["metrics"] and bool(kinds & set(excuse["kinds"]))

    def _judged_damaged(self, metric: str) -> bool:
        """Return whether a metric is judged in a trial with damage that reaches the application."""
        damage = self._rules["damage"]
        return metric in damage["judged"] and self.protocol not in damage["outlasted"].get(
            metric, ()
        )

    def again(self, baseline: Examined) -> Judge:
        """Return the judge of trials with another duration, by their trial without faults."""
        own = [one for one in self._all if one.metric in self._own]
        found = Judge(own, self._all, baseline, self.protocol, self.qos)
        found.settle_s = self.settle_s  # a client does not recover faster in a shorter trial
        return found
