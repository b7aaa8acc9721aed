"""What happens during a trial at moments of its own: restarts and outages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Schedule:
    """Actions at moments of the monotonic clock, in order."""

    _due: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

    def add(self, at: float, action: Callable[[], None]) -> None:
        self._due.append((at, action))
        self._due.sort(key=lambda entry: entry[0])

    def wait_s(self, longest_s: float) -> float:
        """Seconds until the next action, at most so many."""
        if not self._due:
            return longest_s
        return min(longest_s, max(0.0, self._due[0][0] - time.monotonic()))

    def do_due(self) -> None:
        """Carry out what is due."""
        while self._due and self._due[0][0] <= time.monotonic():
            self._due.pop(0)[1]()
