"""Silent, a peer that takes datagrams: it logs each message, and answers nothing."""

from __future__ import annotations

import asyncio
import re

from hil.design import addressing
from hil.peers.asyncserver import AsyncServer
from hil.peers.log import Log

# The laboratory's payloads as they are, from 24 bytes on. A server that reads its protocol takes
# them out of that instead: hil/peers has a codec of each.
MESSAGE = re.compile(re.escape(addressing.BOARD_ID.encode()) + rb" \d+ \d+ ?\.*")


class Sink(asyncio.DatagramProtocol):
    """One socket for all."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        for found in MESSAGE.finditer(data):
            self._log.received(found[0])


class SilentServer(AsyncServer):
    name = "silent"

    async def listen(self, log: Log) -> object:
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: Sink(log), local_addr=(addressing.SERVER_IP, addressing.port(self.name))
        )
        return transport
