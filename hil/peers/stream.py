"""Clients of a broker over TCP that reconnect, and publishers at fixed intervals."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from typing import cast

from hil.design.payload import payload
from hil.peers.client import LoadClient

_RECONNECT_S = 1.0


class StreamClient(LoadClient, asyncio.Protocol):
    """A client that reconnects whenever its connection ends."""

    _transport: asyncio.Transport | None = None
    _opening: asyncio.Task[None] | None = None
    _over = False

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
            self.send(self.farewell())
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.send(self.greeting())

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        if not self._over:
            self.note("disconnected")
            self._loop.call_later(_RECONNECT_S, self.begin)

    def drop(self) -> None:
        """Close this connection; the client reconnects."""
        if self._transport:
            self._transport.close()

    def send(self, data: bytes) -> None:
        if self._transport and data:
            self._transport.write(data)

    @abstractmethod
    def greeting(self) -> bytes:
        """Return the bytes that open the session on a new connection."""

    def farewell(self) -> bytes:
        """Return the bytes that end the session."""
        return b""


class StreamPublisher(StreamClient):
    """Publishes at fixed intervals, whether or not the broker has answered.

    Messages without a session are lost, and logged as failed.
    """

    _running = False

    def start(self) -> None:
        """Begin to publish when the first session is up."""
        if not self._running:
            self._running = True
            self._due = self._loop.time()
            self._next()

    def _next(self) -> None:
        if self.finished or self._over:
            return
        seq = self.make()
        if self.joined:
            stamp = time.time_ns() // 1000
            self.publish(seq, payload(self.name, seq, stamp, self.task.payload_bytes))
        else:
            self.failed(seq, "offline")
        self._due += self.task.interval_s
        self._loop.call_at(self._due, self._next)

    @property
    def joined(self) -> bool:
        """Whether a message can be sent."""
        return self._transport is not None

    @abstractmethod
    def publish(self, seq: int, body: bytes) -> None:
        """Send message `seq`."""
