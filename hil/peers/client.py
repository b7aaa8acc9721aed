"""What the clients of a load have in common: what to do, when, and how it is logged."""

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
    """What each client does.

    Attributes:
        address, port: of the broker or of the serving device.
        topic: MQTT topic, AMQP queue, CoAP or HTTP path without its slash.
        interval_s: between two publications; or from an answer to the next request.
        messages: of one client; 0: no limit.
        qos: of publications or subscriptions.
        confirmable: CoAP CON or NON.
        keep_alive: HTTP: one connection for all requests.
        socket_each: CoAP, HTTP: a socket of its own for each request, closed after the answer.
        pauses_s: in place of interval_s, drawn for each pause; empty: none.
        seed: of what is drawn.
        listen: MQTT: the topic that publishers subscribe to; empty: none.
        lead_s: with `listen`: from the first message of that topic to a publisher's own first;
            None: it does not wait for one.
        empty_answers: in a closed loop, answers carry no payload.
        last_numbers: in a closed loop, its payloads in bytes, and how many messages are made when
            the last of this size is; instead of payload_bytes.
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
        paced: it makes messages itself, at the task's interval.
        ready: it has begun: its first request is out, or its session is up.
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
        """How long to wait after an answer."""
        sample = self.task.pauses_s
        return self._pauses.choice(sample) if sample else self.task.interval_s

    @property
    def done(self) -> bool:
        """True when all messages were made and none waits for its answer."""
        return self.finished and not self._sent_ns

    @property
    def finished(self) -> bool:
        """True when all messages were made."""
        return bool(self.task.messages) and self._made >= self.task.messages

    def note(self, event: str, **more: object) -> None:
        self._log.note(event, client=self.name, **more)

    def received(self, body: bytes) -> None:
        self._log.received(body, client=self.name)

    def make(self) -> int:
        """The sequence number of the next message, which counts as sent now."""
        self.ready = True
        seq = self._made
        self._made += 1
        self._sent_ns[seq] = time.time_ns()
        self.note("sent", seq=seq)
        return seq

    def acked(self, seq: int) -> None:
        """The peer has answered message `seq`."""
        if (sent := self._sent_ns.pop(seq, None)) is not None:
            self.note("acked", seq=seq, rtt_us=(time.time_ns() - sent) // 1000)

    def give_up(self) -> None:
        """The load ends: what still waits for its answer has failed."""
        for seq in list(self._sent_ns):
            self.failed(seq, self.pending)

    @property
    def pending(self) -> str:
        """Why a message that waits for its answer has none yet."""
        return "unfinished"

    def failed(self, seq: int, reason: str) -> None:
        """Message `seq` is given up."""
        if self._sent_ns.pop(seq, None) is not None:
            self.note("failed", seq=seq, reason=reason)
