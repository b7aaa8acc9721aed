"""Silent, a peer that takes connections: it logs each message, and answers nothing."""

from __future__ import annotations

import asyncio
from typing import cast

from hil.design import addressing
from hil.peers.asyncserver import AsyncServer
from hil.peers.log import Log

# The frames of raw TCP. A server of another protocol reads that one's: hil/peers has codecs.
from hil.peers.raw import codec


class Connection(asyncio.Protocol):
    """Closed at the first byte that begins no message."""

    def __init__(self, log: Log) -> None:
        self._log, self._buffer = log, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        try:
            while message := codec.take(self._buffer):
                self._buffer = self._buffer[codec.HEAD_BYTES + len(message.payload) :]
                self._log.received(message.payload)
        except codec.Malformed as error:
            self._log.note("malformed", head=str(error))
            self._transport.close()


class SilentServer(AsyncServer):
    name = "silent"

    async def listen(self, log: Log) -> object:
        return await asyncio.get_running_loop().create_server(
            lambda: Connection(log), addressing.SERVER_IP, addressing.port(self.name)
        )
