"""A WebSocket server on the `websockets` library (RFC 6455): a hub for each path.

A message is logged and forwarded to all other clients of the same path. Clients of the load mark
themselves by the path's query and are not logged here. The library answers pings. The server sends
none, and does not compress, since the device could not decompress.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict

from websockets.asyncio.server import Server, ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

from hil.design import addressing
from hil.peers.asyncserver import AsyncServer
from hil.peers.log import Log
from hil.peers.websocket.load import LOAD


class Hub:
    """All connections, by path."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._members: defaultdict[str, set[ServerConnection]] = defaultdict(set)

    async def join(self, connection: ServerConnection) -> None:
        """Serve one connection until it ends."""
        path, _, query = (connection.request.path if connection.request else "").partition("?")
        members = self._members[path]
        members.add(connection)
        self._log.note("connected", path=path)
        with contextlib.suppress(ConnectionClosed):
            while True:
                message = await connection.recv()
                body = message.encode() if isinstance(message, str) else message
                kind = "text" if isinstance(message, str) else "binary"
                if query != LOAD:
                    self._log.received(body, path=path, type=kind)
                broadcast(members - {connection}, message)
        members.discard(connection)
        self._log.note("disconnected", path=path, code=connection.close_code)


async def listen(log: Log, host: str, port: int) -> Server:
    """Listen for connections."""
    return await serve(
        Hub(log).join, host, port, compression=None, ping_interval=None, server_header=None
    )


class WebSocketServer(AsyncServer):
    name = "websocket"

    async def listen(self, log: Log) -> object:
        return await listen(log, addressing.SERVER_IP, addressing.port("websocket"))
