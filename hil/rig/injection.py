"""The faults of a trial while it runs: what the rig itself does for them, and their events.

Trials without faults do not load this module: in the machine, time passes while one is loaded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from hil.base.errors import TrialError
from hil.design import faultlist
from hil.design.facts import Facts
from hil.peers import Server
from hil.rig.event_log import EventLog
from hil.rig.links import Link
from hil.rig.schedule import Event, Schedule


class FaultSchedule(Schedule):
    """A schedule with the faults of one trial on its link and server."""

    def __init__(self, facts: Facts, link: Link, server: Server, events: EventLog) -> None:
        super().__init__()
        assert link.wire is not None, "the link injects no faults"
        self._faults, self._wire = facts.faults, link.wire
        self._server, self._log = server, events
        self._away: set[int] = set()  # numbers of the faults that have the server away
        self.keeps_state = faultlist.keeps_state(facts)

    def begin(self) -> None:
        """Let the times of the faults count from now."""
        self._wire.begin()

    def rest(self, seconds: float) -> tuple[float, float]:
        """See the base class; carry out the faults that begin or end meanwhile.

        Raises:
            TrialError: two faults have the server away at once, or it does not start again.
        """
        began = time.monotonic()
        announced = self._wire.wait(seconds)
        passed = time.monotonic() - began
        for number, over in announced:
            self._carry_out(number, over)
        return min(passed, seconds), round(max(0.0, passed - seconds), 3)

    def _carry_out(self, number: int, over: bool) -> None:
        fault, server = self._faults[number - 1], self._server
        acts: dict[str, tuple[Callable[[], None], Callable[[], None]]] = {
            "server_kill": (server.crash, server.resume),
            "server_restart": (server.halt, server.resume),
            "server_pause": (server.pause, server.unpause),
        }
        begin, end = acts[fault["kind"]]
        if not over:
            if self._away:
                other = min(self._away)
                raise TrialError(f"fault {number} begins while fault {other} has the server away")
            self._away.add(number)
            self._log.server_away(True)
            begin()
        elif "for_s" in fault and number in self._away:
            self._away.remove(number)
            end()
            self._log.server_away(False)

    def finish(self) -> None:
        """See the base class."""
        for number in sorted(self._away):
            self._carry_out(number, True)

    def events(self) -> Iterator[Event]:
        """See the base class."""
        for stamp, number, over, frames in self._wire.events():
            name = "fault_over" if over else "fault"
            fields: dict[str, Any] = {"number": number, "kind": self._faults[number - 1]["kind"]}
            yield stamp, name, fields | ({"frames": frames} if over else {})
