"""Closed loops over WebSocket: a client of the hub on the device's path."""

from __future__ import annotations

import asyncio
import contextlib

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from hil.peers import closed_loop

# Query that marks a client of the load, which has a log of its own.
LOAD = "load"


class _Client(closed_loop.ClosedLoopClient):
    """A connection with text messages, like the device's."""

    _running: asyncio.Task[None] | None = None
    _connection: ClientConnection | None = None

    def begin(self) -> None:
        self._running = self._loop.create_task(self._run())

    async def _run(self) -> None:
        address = f"ws://{self.task.address}:{self.task.port}/{self.task.topic}?{LOAD}"
        async with connect(address, compression=None, ping_interval=None) as connection:
            self._connection = connection
            self.note("connected")
            self.joined()
            with contextlib.suppress(ConnectionClosed):
                async for message in connection:
                    self.on_message(message.encode() if isinstance(message, str) else message)
        self.note("disconnected")

    def joined(self) -> None:
        """Called when the connection is open."""
        self.ready = True

    def put(self, body: bytes) -> None:
        if self._connection:
            self._sending = self._loop.create_task(self._connection.send(body.decode()))

    def end(self) -> None:
        if self._running:
            self._running.cancel()


class Answerer(closed_loop.Answerer, _Client):
    """Answers what the device sends."""


class Asker(closed_loop.Asker, _Client):
    """Sends to the device and waits for its answers."""

    def joined(self) -> None:
        super().joined()
        self.ask()
