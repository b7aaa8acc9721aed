"""Actions at fixed times of a trial, such as restarts of a server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

# Of server.jsonl: stamp in ns, name of the event, fields.
Event = tuple[int, str, dict[str, Any]]


@dataclass
class Schedule:
    """Actions at times of the monotonic clock, in order.

    Attributes:
        keeps_state: whether the server has to keep its state across a fault.
    """

    _due: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    keeps_state = False

    def add(self, at: float, action: Callable[[], None]) -> None:
        self._due.append((at, action))
        self._due.sort(key=lambda entry: entry[0])

    def wait_s(self, longest_s: float) -> float:
        """Return the time until the next action, in s, at most `longest_s`."""
        if not self._due:
            return longest_s
        return min(longest_s, max(0.0, self._due[0][0] - time.monotonic()))

    def do_due(self) -> None:
        """Run the actions that are due."""
        while self._due and self._due[0][0] <= time.monotonic():
            self._due.pop(0)[1]()

    def begin(self) -> None:
        """The device starts now."""
        return

    def rest(self, seconds: float) -> tuple[float, float]:
        """Sleep; return the time that passed, at most `seconds`, and by how much the wake-up was
        late, to the millisecond, both in s."""
        due = time.monotonic() + seconds
        time.sleep(seconds)
        return seconds, round(time.monotonic() - due, 3)

    def finish(self) -> None:
        """End what still lasts, so that the server can stop in order."""
        return

    def events(self) -> Iterable[Event]:
        """Return the begin and end of each fault, once the link is closed."""
        return ()
