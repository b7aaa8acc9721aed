"""AMQP publishers: messages for the queue that the device consumes from, with confirms."""

from __future__ import annotations

import asyncio
import time
from typing import cast

from hil.codecs import amqp
from hil.load.client import Client, payload

_RECONNECT_S = 1.0


class Publisher(Client, asyncio.Protocol):
    """Publishes at fixed intervals, whether or not the broker has confirmed yet.

    What cannot be sent for want of a connection is lost, and noted.
    """

    _transport: asyncio.Transport | None = None
    _opening: asyncio.Task[None] | None = None
    _running = _over = False

    def begin(self) -> None:
        self._opening = self._loop.create_task(self._open())

    async def _open(self) -> None:
        try:
            await self._loop.create_connection(lambda: self, self.task.address, self.task.port)
        except OSError:
            self.connection_lost(None)

    def end(self) -> None:
        self._over = True
        if self._transport:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._buffer, self._open_tags = b"", {}
        self._next_tag = 0  # 0: the connection is still being opened
        self._steps = amqp.opening(self.task.topic)
        self._steps.append((amqp.method(1, amqp.CONFIRM_SELECT, b"\0"), amqp.CONFIRM_SELECT_OK))
        self._transport.write(self._steps[0][0])

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        if not self._over:
            self.note("disconnected")
            self._loop.call_later(_RECONNECT_S, self.begin)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        done = 0
        for kind, done, content in amqp.frames(self._buffer):  # noqa: B007 (the last end counts)
            if kind == amqp.METHOD:
                self._method(amqp.name_of(content), content[4:])
        self._buffer = self._buffer[done:]

    def _method(self, name: tuple[int, int], arguments: bytes) -> None:
        if self._steps and name == self._steps[0][1]:
            self._steps.pop(0)
            if self._steps and self._transport:
                self._transport.write(self._steps[0][0])
            elif not self._steps:
                self._joined()
        elif name == amqp.ACK:
            self._confirmed(int.from_bytes(arguments[:8], "big"), bool(arguments[8] & 1))

    def _joined(self) -> None:
        self.note("connected")
        self._next_tag = 1  # tags count from Confirm.Select on
        if not self._running:
            self._running = True
            self._due = self._loop.time()
            self._publish()

    def _confirmed(self, tag: int, multiple: bool) -> None:
        for known in [t for t in self._open_tags if t == tag or (multiple and t <= tag)]:
            self.acked(self._open_tags.pop(known))

    def _publish(self) -> None:
        if self.finished or self._over:
            return
        seq = self.make()
        body = payload(self.name, seq, time.time_ns() // 1000, self.task.payload_bytes)
        if self._transport and self._next_tag:
            self._transport.write(amqp.publish(self.task.topic, body))
            self._open_tags[self._next_tag] = seq
            self._next_tag += 1
        else:
            self.failed(seq, "offline")
        self._due += self.task.interval_s
        self._loop.call_at(self._due, self._publish)
