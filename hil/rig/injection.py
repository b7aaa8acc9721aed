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
from hil.rig import descriptors
from hil.rig.boards import Board
from hil.rig.event_log import EventLog
from hil.rig.links import Link
from hil.rig.schedule import Event, Schedule

# How long a slow server runs at a time, s.
_TURN_S = 0.001


class FaultSchedule(Schedule):
    """A schedule with the faults of one trial on its link and server."""

    def __init__(
        self, facts: Facts, link: Link, server: Server, board: Board, events: EventLog
    ) -> None:
        super().__init__()
        assert link.wire is not None, "the link injects no faults"
        self._faults, self._wire = facts.faults, link.wire
        self._server, self._board, self._log = server, board, events
        self._limits: dict[int, tuple[int, descriptors.Limits]] = {}  # process and limits of before
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
        kind = fault["kind"]
        if kind in faultlist.AT_THE_DEVICE:
            if not over:
                self._board.reset(fault.get("memory", faultlist.LOST) == faultlist.LOST)
            return
        if kind == "server_connections":
            self._leave_descriptors(number, over)
            return
        acts: dict[str, tuple[Callable[[], None], Callable[[], None]]] = {
            "server_kill": (server.crash, server.resume),
            "server_restart": (server.halt, server.resume),
            "server_pause": (server.pause, server.unpause),
            "server_slow": (lambda: self._wait_for_turn(number), server.unpause),
        }
        begin, end = acts[kind]
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

    def _wait_for_turn(self, number: int) -> None:
        """Suspend the slow server until its next turn."""
        if number not in self._away:
            return
        self._server.pause()
        delay_s = self._faults[number - 1].get("delay_ms", faultlist.DELAY_MS) / 1000
        self.add(time.monotonic() + delay_s, lambda: self._take_turn(number))

    def _take_turn(self, number: int) -> None:
        """Let the slow server run for a moment, in which it answers what has come in."""
        if number not in self._away:
            return
        self._server.unpause()
        self.add(time.monotonic() + _TURN_S, lambda: self._wait_for_turn(number))

    def _leave_descriptors(self, number: int, over: bool) -> None:
        """Take or give back the descriptors of the server, unless another process has its place."""
        server = self._server
        if over:
            pid, before = self._limits.pop(number)
            if not self._limits and pid in {child.pid for child in server.children}:
                descriptors.restore(pid, before)
        elif self._away:
            raise TrialError(f"fault {number} begins while fault {min(self._away)} has the server")
        else:
            pid = server.children[server.front].pid
            first = next(iter(self._limits.values()), None)
            self._limits[number] = first or (pid, descriptors.exhaust(pid))

    def finish(self) -> None:
        """See the base class."""
        for number in sorted(self._limits):
            self._leave_descriptors(number, True)
        for number in sorted(self._away):
            self._carry_out(number, True)

    def events(self) -> Iterator[Event]:
        """See the base class."""
        for stamp, number, over, frames in self._wire.events():
            name = "fault_over" if over else "fault"
            fields: dict[str, Any] = {"number": number, "kind": self._faults[number - 1]["kind"]}
            yield stamp, name, fields | ({"frames": frames} if over else {})
