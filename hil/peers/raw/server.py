"""Sinks of raw TCP and raw UDP: they log each message and acknowledge it on request."""

from __future__ import annotations

import asyncio
from typing import cast

from hil.design import addressing
from hil.peers.asyncserver import AsyncServer
from hil.peers.log import Log
from hil.peers.raw import codec as raw


def _take(log: Log, message: raw.Message) -> bytes:
    """Log a message; return its acknowledgement, or no bytes."""
    if message.kind != raw.DATA:
        return b""
    log.received(message.payload)
    return raw.encode(raw.Message(raw.ACK, False, message.seq)) if message.ack_wanted else b""


class TcpSink(asyncio.Protocol):
    """A connection, which is closed at the first malformed header."""

    def __init__(self, log: Log) -> None:
        self._log, self._buffer = log, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        buffer, at, answers = self._buffer + data, 0, b""
        try:
            while message := raw.take(buffer, at):
                at += raw.HEAD_BYTES + len(message.payload)
                answers += _take(self._log, message)
        except raw.Malformed as error:
            self._log.note("malformed", head=str(error))
            self._transport.close()
            return
        self._buffer = buffer[at:]
        if answers:
            self._transport.write(answers)


class UdpSink(asyncio.DatagramProtocol):
    """A socket for all clients, with one message per datagram."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        try:
            message = raw.take(data)
        except raw.Malformed:
            message = None
        if message is None or len(data) != raw.HEAD_BYTES + len(message.payload):
            self._log.note("malformed", bytes=len(data))
        elif answer := _take(self._log, message):
            self._transport.sendto(answer, address)

    def error_received(self, error: Exception) -> None:
        """Ignore an ICMP error: the device is off."""


async def listen_tcp(log: Log, host: str, port: int) -> asyncio.Server:
    """Listen for connections."""
    return await asyncio.get_running_loop().create_server(lambda: TcpSink(log), host, port)


async def listen_udp(log: Log, host: str, port: int) -> asyncio.BaseTransport:
    """Bind the socket."""
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: UdpSink(log), local_addr=(host, port)
    )
    return transport


class RawTcpServer(AsyncServer):
    name = "tcp"

    async def listen(self, log: Log) -> object:
        return await listen_tcp(log, addressing.SERVER_IP, addressing.port("tcp"))


class RawUdpServer(AsyncServer):
    name = "udp"

    async def listen(self, log: Log) -> object:
        return await listen_udp(log, addressing.SERVER_IP, addressing.port("udp"))
