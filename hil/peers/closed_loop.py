"""The load's side of a closed loop: a client that answers the device, or one that asks it.

How a message goes out is a protocol's own; whose turn it is stands here.
"""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod

from hil.design.payload import payload
from hil.peers.client import LoadClient

# A question without answer is given up, as the device does (firmware/core/app/app.c).
_ANSWER_LIMIT_S = 10.0


class ClosedLoopClient(LoadClient):
    """Sends messages of its own, and is told the device's by `turn`."""

    @abstractmethod
    def put(self, body: bytes) -> None:
        """Send a message; what cannot be sent is lost."""

    @abstractmethod
    def turn(self, body: bytes) -> None:
        """The device's message is there."""


class Answerer(ClosedLoopClient):
    """Answers each message of the device at once: with an empty one, or with itself."""

    paced = False

    def turn(self, body: bytes) -> None:
        self.put(b"" if self.task.empty_answers else body)
        self.received(body)


class Asker(ClosedLoopClient):
    """Asks, and asks again when the answer is there, but no sooner than an interval later."""

    _asking = -1
    _limit: asyncio.TimerHandle | None = None

    def ask(self) -> None:
        """Send the next message, if there is one. Call it once, when the session is up."""
        if self.finished:
            return
        self._asking = seq = self.make()
        self._asked = self._loop.time()
        self._limit = self._loop.call_later(_ANSWER_LIMIT_S, self._give_up, seq)
        self.put(payload(self.name, seq, time.time_ns() // 1000, self._bytes(seq)))

    def _bytes(self, seq: int) -> int:
        """The payload of message `seq`."""
        sizes = (size for size, last in self.task.last_numbers.items() if seq < last)
        return next(sizes, self.task.payload_bytes)

    def turn(self, body: bytes) -> None:
        if self._asking < 0:
            return  # too late: it was given up
        self.acked(self._asking)
        self._go_on()

    def _give_up(self, seq: int) -> None:
        self.failed(seq, "no_response")
        self._go_on()

    def _go_on(self) -> None:
        if self._limit:
            self._limit.cancel()
        self._asking = -1
        pause = self._asked + self.task.interval_s - self._loop.time()
        if pause > 0:
            self._loop.call_later(pause, self.ask)
        else:
            self.ask()
