"""Actions at fixed times of a trial, such as restarts of a server."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Schedule:
    """Actions at times of the monotonic clock, in order."""

    _due: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

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
