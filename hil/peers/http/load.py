"""HTTP requesters: they GET from the serving device, and pause after each answer."""

from __future__ import annotations

import asyncio
from typing import cast

import h11

from hil.peers.client import LoadClient

# KU Leuven 2019 measured conversations of 12 s on average with 100 clients.
_RESPONSE_LIMIT_S = 60.0
# Fields of a command-line client; the request is as long as curl's in KU Leuven's captures.
_FIELDS = (("User-Agent", "thinwire/2019"), ("Accept", "*/*"))


class Connection(asyncio.Protocol):
    """One connection of a requester."""

    def __init__(self, owner: Requester) -> None:
        self._owner = owner
        self._http = h11.Connection(h11.CLIENT)
        self._transport: asyncio.Transport | None = None
        self._body, self._status = b"", 0

    @property
    def open(self) -> bool:
        """Whether the connection is established."""
        return self._transport is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.request()

    def request(self) -> None:
        """Send a GET."""
        task = self._owner.task
        fields = [("Host", f"{task.address}:{task.port}")]
        if task.socket_each:
            fields = [("Host", task.address), *_FIELDS]
        if not task.keep_alive:
            fields.append(("Connection", "close"))
        self._body, self._status = b"", 0
        request = h11.Request(method="GET", target=f"/{task.topic}", headers=fields)
        data = (self._http.send(request) or b"") + (self._http.send(h11.EndOfMessage()) or b"")
        if self._transport:
            self._transport.write(data)

    def data_received(self, data: bytes) -> None:
        self._take(data, "malformed")

    def _take(self, data: bytes, otherwise: str) -> None:
        """Process bytes, none at the end of the stream; `otherwise`: the reason if invalid."""
        self._http.receive_data(data)
        try:
            while (event := self._http.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                if isinstance(event, h11.Response):
                    self._status = event.status_code
                elif isinstance(event, h11.Data):
                    self._body += event.data
                elif isinstance(event, h11.EndOfMessage):
                    self._complete()
                    return
                elif isinstance(event, h11.ConnectionClosed):
                    return
        except h11.RemoteProtocolError:
            self._owner.lost(self, otherwise)

    def _complete(self) -> None:
        reusable = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        if reusable:
            self._http.start_next_cycle()
        self._owner.answered(self, self._status, self._body, reusable)

    def eof_received(self) -> None:
        self._take(b"", "connection_lost")

    def connection_lost(self, error: Exception | None) -> None:
        self._owner.lost(self, "connection_lost")

    def close(self) -> None:
        if self._transport:
            self._transport.close()


class Requester(LoadClient):
    """One request at a time, over a single connection or a new one for each request."""

    _connection: Connection | None = None
    _timer: asyncio.TimerHandle | None = None
    _opening: asyncio.Task[None] | None = None
    _seq = -1
    _waiting = _over = False

    def begin(self) -> None:
        self._next()

    def end(self) -> None:
        self._over = True
        self._drop()

    def _later(self, seconds: float, function: object) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, function)  # type: ignore[arg-type]

    def _next(self) -> None:
        """Send the next request. Its time includes the handshake of a new connection."""
        if self.finished or self._over:
            return
        self._seq, self._waiting = self.make(), True
        self._later(_RESPONSE_LIMIT_S, self._late)
        if self._connection:
            self._connection.request()
        else:
            self._connection = Connection(self)
            self._opening = self._loop.create_task(self._open(self._connection))

    @property
    def _connected(self) -> bool:
        """Whether there is a connection. A server at its limit does not answer the handshake."""
        return bool(self._connection and self._connection.open)

    @property
    def pending(self) -> str:
        return "unfinished" if self._connected else "no_connection"

    def _late(self) -> None:
        self._fail("no_response" if self._connected else "no_connection")

    async def _open(self, connection: Connection) -> None:
        try:
            await self._loop.create_connection(
                lambda: connection, self.task.address, self.task.port
            )
        except OSError:
            self.lost(connection, "no_connection")

    def answered(self, connection: Connection, status: int, body: bytes, reusable: bool) -> None:
        """Handle a complete response."""
        if connection is not self._connection or not self._waiting:
            return
        self._waiting = False
        if status == 200:
            self.acked(self._seq)
            self.received(body)
        else:
            self.failed(self._seq, f"status_{status}")
        if not reusable or not self.task.keep_alive or self.task.socket_each:
            self._drop()
        self._later(self.pause_s(), self._next)

    def lost(self, connection: Connection, reason: str) -> None:
        """Handle a connection that ended or could not be opened."""
        if connection is self._connection:
            self._drop()
            self._fail(reason)

    def _fail(self, reason: str) -> None:
        """Give up this request and its connection."""
        if not self._waiting or self._over:
            return
        self._waiting = False
        self.failed(self._seq, reason)
        self._drop()
        self._later(self.pause_s(), self._next)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            connection.close()
