"""Tornado, as a WebSocket server: tornado_websocket.py serve PORT, or send PORT COUNT."""

from __future__ import annotations

import asyncio
import sys

from tornado.web import Application
from tornado.websocket import WebSocketHandler

_ROLE, _PORT, *_COUNT = sys.argv[1:]
_DONE = asyncio.Event()


class _Socket(WebSocketHandler):
    """Prints what comes; or sends to whoever connects, until a Pong shows that all was read."""

    async def open(self, *_args: str, **_kwargs: str) -> None:
        if _ROLE == "send":
            for seq in range(int(_COUNT[0])):
                await self.write_message(f"peer1 {seq} 1 ".ljust(30, "."))
            self.ping(b"")

    def on_message(self, message: str | bytes) -> None:
        print(message, flush=True)

    def on_pong(self, data: bytes) -> None:
        _DONE.set()


async def _main() -> None:
    Application([(r"/.*", _Socket)]).listen(int(_PORT), "0.0.0.0")
    print("ready", flush=True)
    await _DONE.wait()


asyncio.run(_main())
