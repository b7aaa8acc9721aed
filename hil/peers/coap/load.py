"""CoAP requesters: they GET from the serving device, and pause after each answer."""

from __future__ import annotations

import asyncio
import random
from typing import cast

from hil.peers.client import LoadClient
from hil.peers.coap import codec as coap

# Time limit of a separate or NON response (NON_LIFETIME would be 145 s, section 4.8.2).
_RESPONSE_LIMIT_S = 30.0


class Requester(LoadClient, asyncio.DatagramProtocol):
    """One request at a time (NSTART = 1, RFC 7252 section 4.7)."""

    _transport: asyncio.DatagramTransport | None = None
    _timer: asyncio.TimerHandle | None = None
    _seq = -1
    _waiting = False
    _attempts = 0

    def begin(self) -> None:
        self._random = random.Random(self.name)
        self._message_id = self._random.randrange(0x10000)
        self._connect()

    def _connect(self) -> None:
        self._opening = self._loop.create_task(self._open())

    async def _open(self) -> None:
        await self._loop.create_datagram_endpoint(
            lambda: self, remote_addr=(self.task.address, self.task.port)
        )

    def end(self) -> None:
        self._cancel()
        if self._transport:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)
        self._request()

    def error_received(self, error: Exception) -> None:
        """Ignore an ICMP error: the device is unreachable, and retransmission continues."""

    def _later(self, seconds: float, function: object) -> None:
        self._cancel()
        self._timer = self._loop.call_later(seconds, function)  # type: ignore[arg-type]

    def _cancel(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _send(self, message: coap.Message) -> None:
        if self._transport:
            self._transport.sendto(coap.encode(message))

    def _request(self) -> None:
        if self.finished:
            return
        self._seq = self.make()
        self._message_id = (self._message_id + 1) & 0xFFFF
        kind = coap.CON if self.task.confirmable else coap.NON
        # with a socket for each request a short token is enough
        token = self._seq.to_bytes(4, "big")[2 * self.task.socket_each :]
        self._message = coap.Message(
            kind, coap.GET, self._message_id, token, coap.path(self.task.topic)
        )
        self._waiting, self._attempts = True, 0
        self._timeout_s = coap.ACK_TIMEOUT_S * self._random.uniform(1, coap.ACK_RANDOM_FACTOR)
        self._transmit()

    def _transmit(self) -> None:
        """Send, or retransmit with a doubled timeout (section 4.2)."""
        if self._message.kind == coap.NON:
            self._later(_RESPONSE_LIMIT_S, self._give_up)
        elif self._attempts > coap.MAX_RETRANSMIT:
            self._give_up()
            return
        else:
            if self._attempts:
                self.note("retransmitted", seq=self._seq)
            self._later(self._timeout_s * 2**self._attempts, self._transmit)
        self._attempts += 1
        self._send(self._message)

    def _give_up(self) -> None:
        self._waiting = False
        self.failed(self._seq, "no_response")
        self._rest()

    def _rest(self) -> None:
        """Schedule the next request after a pause, from a new socket if the task requires it."""
        if self.task.socket_each and self._transport:
            self._transport.close()
            self._transport = None
        self._later(self.pause_s(), self._connect if self.task.socket_each else self._request)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        try:
            message = coap.decode(data)
        except coap.Malformed:
            self.note("malformed", bytes=len(data))
            return
        if message.kind == coap.CON:
            self._send(coap.Message(coap.ACK, coap.EMPTY, message.message_id))
        if not self._waiting:
            return
        of_request = message.message_id == self._message_id
        if coap.is_response(message.code):
            # A piggybacked response has both the token and the message ID (section 5.3.2).
            if message.token == self._message.token and (message.kind != coap.ACK or of_request):
                self._answered(message)
        elif of_request:
            if message.kind == coap.RST:
                self._give_up()
            elif message.kind == coap.ACK:  # a separate response follows (section 5.2.2)
                self._later(_RESPONSE_LIMIT_S, self._give_up)

    def _answered(self, message: coap.Message) -> None:
        self._waiting = False
        if message.code >> 5 == 2:
            self.acked(self._seq)
            self.received(message.payload)
        else:
            self.failed(self._seq, f"code_{message.code >> 5}_{message.code & 31:02}")
        self._rest()
