"""The search of `thinwire hunt`: generate and run schedules, keep what is new, report what breaks.

Schedule N depends on the seed and on the results of the schedules before N - AHEAD. So the sequence
is the same for any number of jobs, and after a stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from hil.base.errors import LabError
from hil.commands import hunt_state
from hil.commands.hunt_finds import Finder
from hil.commands.hunt_judge import Judge, Violation
from hil.commands.hunt_state import State
from hil.commands.hunt_trials import Examined, Laboratory
from hil.design.schedules import Space, digest
from hil.design.shrinking import Case

AHEAD = 16  # schedules that are generated before the first of them is judged; the most jobs
_SAVE_S = 5.0
_MOST_FAILURES = 20  # of the laboratory in a row


class Search:
    """One search, in the folder `out`."""

    def __init__(
        self,
        *,
        laboratory: Laboratory,
        judge: Judge,
        space: Space,
        finder: Finder,
        state: State,
        out: Path,
        seed: int,
        show: Callable[[State, float, str], None],
    ) -> None:
        """`show` is called with the state, the seconds since the start of this run, and what is
        done beside the search."""
        self._laboratory, self._judge, self._space = laboratory, judge, space
        self._finder, self.state, self._out, self._seed = finder, state, out, seed
        self._show = show
        self._known = {*state.known, *map(digest, state.pending)}
        self._features, self._executed = set(state.features), set(state.executed)
        self._started: list[tuple[Case, Future[Examined]]] = []
        self._saved_s = self._began_s = self._before_s = 0.0
        self._failures = 0
        self._duration_s = int(laboratory.tried.parameters["duration_s"])

    def run(self, for_s: float, most: int | None = None, finds: int | None = None) -> None:
        """Search for a time, in s, or until so many schedules were tried or finds made.

        Raises:
            LabError: the laboratory fails again and again.
        """
        self._began_s, self._before_s = time.monotonic(), self.state.ran_s
        try:
            while most is None or self.state.tried < most:
                if finds is not None and len(self.state.finds) >= finds:
                    break
                if self._tick() >= for_s or not self._fill():
                    break
                case, started = self._started[0]
                examined = started.result()
                broken = self._judged(case, examined, self._began_s + for_s)
                self._save(now=broken)
                self._count_failures(examined)
        finally:
            self._tick()
            self._save(now=True)

    def _tick(self, what: str = "") -> float:
        """Show the progress, and `what` is done now; return the seconds since the start."""
        gone = time.monotonic() - self._began_s
        self.state.ran_s = self._before_s + gone
        self._show(self.state, gone, what)
        return gone

    def _fill(self) -> bool:
        """Generate schedules up to AHEAD, and start the first that are pending; False if none is
        left. No more than keep all jobs busy, so that a second run of one that breaks something
        does not wait for them."""
        pending = self.state.pending
        while len(pending) < AHEAD:
            found = self._space.schedule(self._seed, self.state.next, self.state.pool, self._known)
            self.state.next += 1
            if found is None:
                break
            self._known.add(digest(found))
            pending.append(found)
        for schedule in pending[len(self._started) : min(AHEAD, 2 * self._laboratory.jobs)]:
            case = Case(schedule, self._duration_s)
            self._started.append((case, self._laboratory.begin(case)))
        return bool(pending)

    def _count_failures(self, examined: Examined) -> None:
        """Raise a LabError if the laboratory fails again and again."""
        self._failures = self._failures + 1 if examined.lab_failure else 0
        if self._failures >= _MOST_FAILURES:
            raise LabError(f"{_MOST_FAILURES} trials in a row: {examined.lab_failure}")

    def _judged(self, case: Case, examined: Examined, until: float) -> bool:
        """Confirm and shrink what breaks until the time `until`, then note what a trial has shown;
        return whether something broke. After a stop on the way the schedule is tried again."""
        state = self.state
        broken = self._judge.violations(examined)
        for violation in broken:
            try:
                self._pursue(violation, examined, until)
            except LabError as error:  # the search goes on, and the next such schedule is pursued
                reason = f"while {violation.expectation.name} was pursued: {error}"
                state.lab_failures.append({"faults": case.faults, "reason": reason})
        new = set(examined.features) - self._features
        executed = set(examined.executed).difference(self._executed)
        if new or executed or broken:
            metrics = [one.expectation.metric for one in broken]
            hunt_state.keep(case.faults, metrics, self._out)
        if new or executed:
            self._features |= new
            self._executed |= executed
            state.features, state.executed = sorted(self._features), sorted(self._executed)
            state.pool.append(case.faults)
        if examined.lab_failure:
            state.lab_failures.append({"faults": case.faults, "reason": examined.lab_failure})
        else:
            state.unsettled += not self._judge.in_time(examined)
        state.tried += 1
        state.known.append(digest(case.faults))
        del self._started[0], state.pending[0]
        self._laboratory.forget(case)
        return bool(broken)

    def _pursue(self, violation: Violation, examined: Examined, until: float) -> None:
        """Confirm, shrink and store a violation, unless an earlier find explains it."""
        state = self.state
        if self._finder.explained(violation, examined, state.finds):
            return
        unsteady = self._finder.unsteady(violation, examined)
        if unsteady:
            state.unsteady.append(
                {
                    "metric": violation.expectation.metric,
                    "faults": examined.case.faults,
                    "reason": unsteady,
                }
            )
            return
        small = self._finder.shrunk(violation, examined.case, until, self._tick)
        if small and self._finder.explained(violation, small, state.finds):
            return
        if small and self._finder.unsteady(violation, small):
            small = None
        state.finds.append(self._finder.store(violation, small or examined, len(state.finds) + 1))

    def _save(self, *, now: bool) -> None:
        if now or time.monotonic() - self._saved_s >= _SAVE_S:
            hunt_state.save(self.state, self._out)
            self._saved_s = time.monotonic()
