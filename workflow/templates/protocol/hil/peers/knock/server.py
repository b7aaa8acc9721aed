"""A sink of Knock: it logs each message."""

from __future__ import annotations

import asyncio

from hil.design import addressing
from hil.peers.asyncserver import AsyncServer
from hil.peers.log import Log


class Sink(asyncio.DatagramProtocol):
    """One socket for all."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        self._log.received(data)


class KnockServer(AsyncServer):
    name = "knock"

    async def listen(self, log: Log) -> object:
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: Sink(log), local_addr=(addressing.SERVER_IP, addressing.port(self.name))
        )
        return transport
