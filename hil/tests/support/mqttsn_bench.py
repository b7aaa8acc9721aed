"""Support for the tests of the MQTT-SN gateway: bare devices before it, a mosquitto behind it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import cast

from hil.peers.log import Log
from hil.peers.mqttsn import codec as sn
from hil.peers.mqttsn import server as mqttsn
from hil.peers.mqttsn.gateway import Gateway, Settings
from hil.peers.mqttsn.outbox import Limits
from hil.tests.support import peers


class Device(asyncio.DatagramProtocol):
    """A bare UDP socket that speaks packets."""

    def __init__(self) -> None:
        self._inbox: asyncio.Queue[sn.Packet] = asyncio.Queue()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        self._inbox.put_nowait(sn.decode(data))

    def send(self, packet: sn.Packet) -> None:
        self._transport.sendto(sn.encode(packet))

    def raw(self, data: bytes) -> None:
        self._transport.sendto(data)

    async def next(self) -> sn.Packet:
        return await asyncio.wait_for(self._inbox.get(), 5)

    async def ask(self, packet: sn.Packet) -> sn.Packet:
        self.send(packet)
        return await self.next()

    def close(self) -> None:
        self._transport.close()


class Bench:
    """A broker, a gateway and as many devices as wanted."""

    def __init__(self, gateway: Gateway, broker: int, port: int) -> None:
        self.gateway, self.broker, self.port = gateway, broker, port

    async def device(self) -> Device:
        loop = asyncio.get_running_loop()
        _, device = await loop.create_datagram_endpoint(
            Device, remote_addr=("127.0.0.1", self.port)
        )
        return device

    async def joined(self, name: bytes, **connect: int) -> Device:
        device = await self.device()
        words = {"flags": sn.CLEAN, "duration_s": 60, **connect}
        connack = await device.ask(sn.Connect(words["flags"], 1, words["duration_s"], name))
        assert connack == sn.ConnAck(sn.ACCEPTED)
        return device

    @contextlib.asynccontextmanager
    async def subscriber(self, count: int, topic: str = "#") -> AsyncIterator[list[str]]:
        """mosquitto_sub for `count` messages; the list is filled when the block is left."""
        lines: list[str] = []
        words = f"-d -q 2 -C {count} -W 5 -t {topic} -F"
        command = peers.client("mosquitto_sub", self.broker, words, "%t %q %p")
        async with peers.running("stdbuf", "-oL", *command) as process:
            assert process.stdout
            async for line in process.stdout:
                if b"SUBACK" in line:
                    break
            yield lines
            said = (await asyncio.wait_for(process.stdout.read(), 10)).decode().splitlines()
            lines += [line for line in said if "Client " not in line and "Subscribed" not in line]

    async def publish(self, topic: str, text: str, qos: int) -> None:
        words = f"-q {qos} -t {topic} -m"
        await peers.output(*peers.client("mosquitto_pub", self.broker, words, text))


def run(
    folder: Path, question: Callable[[Bench], Awaitable[None]], limits: Limits | None = None
) -> None:
    """Ask a question of a fresh bench."""

    async def main() -> None:
        port = peers.free_port(socket.SOCK_DGRAM)
        async with peers.broker(folder) as broker:
            settings = Settings(("127.0.0.1", broker), {1: b"tw/data"}, limits or Limits())
            log = Log("mqttsn", folder / "log")
            gateway = await mqttsn.listen(log, ("127.0.0.1", port), settings)
            await question(Bench(gateway, broker, port))

    asyncio.run(asyncio.wait_for(main(), 20))
