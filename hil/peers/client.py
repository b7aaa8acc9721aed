"""Base of a load's clients: their task, their pauses, and their log."""

from __future__ import annotations

import asyncio
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from hil.peers.log import Log


@dataclass(frozen=True)
class Task:
    """The task of each client.

    Attributes:
        address, port: of the broker or of the serving device.
        topic: MQTT topic, AMQP queue, CoAP or HTTP path without its slash.
        interval_s: time between publications, or from an answer to the next request.
        messages: number per client; 0: no limit.
        qos: of publications or subscriptions.
        confirmable: CoAP CON or NON.
        keep_alive: HTTP: one connection for all requests.
        socket_each: CoAP, HTTP: a new socket for each request, closed after the answer.
        pauses_s: sample from which each pause is drawn; empty: interval_s.
        seed: random seed of the pauses.
        listen: MQTT: the topic that publishers subscribe to; empty: none.
        lead_s: with `listen`: time from the first message of that topic to the publisher's first;
            None: the publisher does not wait.
        empty_answers: in a closed loop, answers carry no payload.
        last_numbers: in a closed loop: payload size in bytes -> number of the last message of this
            size; replaces payload_bytes.
    """

    address: str
    port: int
    topic: str
    interval_s: float
    payload_bytes: int
    messages: int = 0
    qos: int = 0
    confirmable: bool = True
    keep_alive: bool = True
    socket_each: bool = False
    pauses_s: tuple[float, ...] = ()
    seed: int = 0
    listen: str = ""
    lead_s: float | None = None
    empty_answers: bool = False
    last_numbers: Mapping[int, int] = field(default_factory=dict)


class LoadClient(ABC):
    """One client. `begin` is called in a running event loop, `end` when the load stops.

    Attributes:
        paced: whether it sends messages of its own, at the task's interval.
        ready: whether its first request was sent, or its session is up.
    """

    paced = True

    def __init__(self, name: str, task: Task, log: Log) -> None:
        self.name, self.task, self._log = name, task, log
        self._loop = asyncio.get_running_loop()
        self._made = 0
        self._sent_ns: dict[int, int] = {}
        self._pauses = random.Random(f"pauses/{task.seed}/{name}")
        self.ready = False

    @abstractmethod
    def begin(self) -> None:
        """Open the connection and start."""

    @abstractmethod
    def end(self) -> None:
        """Close the connection."""

    def pause_s(self) -> float:
        """Return the pause after an answer, s."""
        sample = self.task.pauses_s
        return self._pauses.choice(sample) if sample else self.task.interval_s

    @property
    def done(self) -> bool:
        """Whether all messages were sent and none waits for its answer."""
        return self.finished and not self._sent_ns

    @property
    def finished(self) -> bool:
        """Whether all messages were sent."""
        return bool(self.task.messages) and self._made >= self.task.messages

    def note(self, event: str, **more: object) -> None:
        self._log.note(event, client=self.name, **more)

    def received(self, body: bytes) -> None:
        self._log.received(body, client=self.name)

    def make(self) -> int:
        """Return the sequence number of the next message, and log it as sent."""
        self.ready = True
        seq = self._made
        self._made += 1
        self._sent_ns[seq] = time.time_ns()
        self.note("sent", seq=seq)
        return seq

    def acked(self, seq: int) -> None:
        """Log that the peer has answered message `seq`."""
        if (sent := self._sent_ns.pop(seq, None)) is not None:
            self.note("acked", seq=seq, rtt_us=(time.time_ns() - sent) // 1000)

    def give_up(self) -> None:
        """Log messages without an answer as failed, at the end of the load."""
        for seq in list(self._sent_ns):
            self.failed(seq, self.pending)

    @property
    def pending(self) -> str:
        """Why a message that waits for its answer has none yet."""
        return "unfinished"

    def failed(self, seq: int, reason: str) -> None:
        """Log that message `seq` has failed."""
        if self._sent_ns.pop(seq, None) is not None:
            self.note("failed", seq=seq, reason=reason)
