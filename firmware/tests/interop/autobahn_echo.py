"""The laboratory's WebSocket server library, as hil/peers/websocket sets it up, sending back what
comes: what Autobahn|Testsuite's fuzzing client wants of a server. autobahn_echo.py PORT
"""

from __future__ import annotations

import asyncio
import sys

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed


async def _echo(connection: ServerConnection) -> None:
    try:
        async for message in connection:
            await connection.send(message)
    except ConnectionClosed:
        pass


async def _main() -> None:
    port = int(sys.argv[1])
    settings = {"compression": None, "ping_interval": None, "server_header": None}
    # Its cases have messages of up to 16 MiB, and of 65,537 fragments (set by autobahn.py);
    # the laboratory's server keeps the library's.
    async with serve(_echo, "127.0.0.1", port, max_size=1 << 25, **settings) as server:
        await server.serve_forever()


asyncio.run(_main())
