"""The load's side of a closed loop: a client that answers the device, or one that sends requests.

This module decides when to send; each protocol's subclass sends.
"""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod

from hil.design.payload import payload
from hil.peers.client import LoadClient

# Time limit of an answer, as on the device (firmware/core/app/app.c).
_ANSWER_LIMIT_S = 10.0


class ClosedLoopClient(LoadClient):
    """Sends messages with `put` and receives the device's in `on_message`."""

    @abstractmethod
    def put(self, body: bytes) -> None:
        """Send a message; it is lost if there is no connection."""

    @abstractmethod
    def on_message(self, body: bytes) -> None:
        """Handle a message of the device."""


class Answerer(ClosedLoopClient):
    """Answers each message of the device at once, with the same payload or an empty one."""

    paced = False

    def on_message(self, body: bytes) -> None:
        self.put(b"" if self.task.empty_answers else body)
        self.received(body)


class Asker(ClosedLoopClient):
    """Sends the next request after the answer, but no sooner than an interval after the last."""

    _asking = -1
    _limit: asyncio.TimerHandle | None = None

    def ask(self) -> None:
        """Send the next message, if any is left. Called once when the session is up."""
        if self.finished:
            return
        self._asking = seq = self.make()
        self._asked = self._loop.time()
        self._limit = self._loop.call_later(_ANSWER_LIMIT_S, self._give_up, seq)
        self.put(payload(self.name, seq, time.time_ns() // 1000, self._bytes(seq)))

    def _bytes(self, seq: int) -> int:
        """Return the payload size of message `seq`."""
        sizes = (size for size, last in self.task.last_numbers.items() if seq < last)
        return next(sizes, self.task.payload_bytes)

    def on_message(self, body: bytes) -> None:
        if self._asking < 0:
            return  # the answer came after the time limit
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
