"""An HTTP/1.1 server on h11 (RFC 9112) that accepts POST and PUT, answers GET, and logs requests.

POST and PUT to any path store a representation; GET returns the last one. A connection stays open
until the client closes it.
"""

from __future__ import annotations

import asyncio
import re
import time
from email.utils import formatdate
from typing import cast
from urllib.parse import unquote_to_bytes

import h11

from hil.design import addressing
from hil.peers.asyncserver import AsyncServer
from hil.peers.log import Log

_LARGEST_BODY = 1 << 20
_LINGER_S = 2.0
_ABSOLUTE = re.compile(rb"https?://[^/?]*", re.IGNORECASE)


def resource(target: bytes) -> bytes:
    """Return path and query of a request's target (RFC 9112, section 3.2).

    The authority of an absolute form is removed. The path is decoded except for "/" (RFC 3986,
    section 6.2.2).
    """
    if absolute := _ABSOLUTE.match(target):
        target = target[absolute.end() :]
    path, mark, query = target.partition(b"?")
    path = path or b"/"
    return unquote_to_bytes(re.sub(rb"%2[fF]", b"%252F", path)) + mark + query


def refusal(request: h11.Request) -> int:
    """The status for a request that h11 accepts and RFC 9112 refuses, or whose connection must end:
    another version, two lengths, chunks in HTTP/1.0 (sections 2.3 and 6.1). 0 for others."""
    if not request.http_version.startswith(b"1."):
        return 505
    fields = {name for name, _ in request.headers}
    length, coding = b"content-length" in fields, b"transfer-encoding" in fields
    return 400 if coding and (length or request.http_version == b"1.0") else 0


class Store:
    """The representations by path, and the log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._bodies: dict[bytes, bytes] = {}
        self._date = (0, b"")

    def date(self) -> bytes:
        """Return the value of the Date field (RFC 9110, section 6.6.1)."""
        now = int(time.time())
        if now != self._date[0]:
            self._date = now, formatdate(now, usegmt=True).encode()
        return self._date[1]

    def answer(self, request: h11.Request, body: bytes) -> tuple[int, bytes]:
        """Return status and body of the response to a complete request."""
        method, path = request.method.decode(), resource(request.target)
        if method in {"POST", "PUT"}:
            self._log.received(body, method=method)
            self._bodies[path] = body
            return 204, b""
        if method in {"GET", "HEAD"}:
            if path not in self._bodies:
                return 404, b""
            self._log.note("served", method=method, bytes=len(self._bodies[path]))
            return 200, self._bodies[path]
        return 405, b""


class Connection(asyncio.Protocol):
    """One client's connection."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._http = h11.Connection(h11.SERVER)
        self._request: h11.Request | None = None
        self._body = bytearray()
        self._failed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if not self._failed:
            self._http.receive_data(data)
            self._advance()

    def eof_received(self) -> None:
        self.data_received(b"")

    def _advance(self) -> None:
        """Handle all complete events; pipelined requests are answered in order."""
        try:
            while not (self._failed or self._transport.is_closing()):
                event = self._http.next_event()
                if event in (h11.NEED_DATA, h11.PAUSED):
                    return
                self._handle(event)
        except h11.RemoteProtocolError as error:
            # h11 has 501 for all but "chunked". Where chunked is not the last coding, as with any
            # coding alone, the status must be 400 (RFC 9112, section 6.3).
            self._fail(400 if error.error_status_hint == 501 else error.error_status_hint)

    def _handle(self, event: object) -> None:
        if isinstance(event, h11.Request):
            self._request, self._body = event, bytearray()
            if status := refusal(event):
                self._fail(status)
            elif self._http.they_are_waiting_for_100_continue:
                self._send(h11.InformationalResponse(status_code=100, headers=[]))
        elif isinstance(event, h11.Data):
            self._body += event.data
            if len(self._body) > _LARGEST_BODY:
                self._fail(413)
        elif isinstance(event, h11.EndOfMessage):
            assert self._request is not None
            status, body = self._store.answer(self._request, bytes(self._body))
            self._respond(status, body, head=self._request.method == b"HEAD")
            if self._http.our_state is h11.MUST_CLOSE:
                self._transport.close()
            else:
                self._http.start_next_cycle()
        else:  # ConnectionClosed
            self._transport.close()

    def _respond(self, status: int, body: bytes, head: bool = False) -> None:
        """Send a response in one piece."""
        fields = [(b"Date", self._store.date())]
        if status != 204:
            fields.append((b"Content-Length", str(len(body)).encode()))
        if status == 405:
            fields.append((b"Allow", b"GET, HEAD, POST, PUT"))
        response = h11.Response(status_code=status, headers=fields)
        self._send(
            response, *([] if head or not body else [h11.Data(data=body)]), h11.EndOfMessage()
        )

    def _send(self, *events: h11.Event) -> None:
        self._transport.write(b"".join(self._http.send(event) or b"" for event in events))

    def _fail(self, status: int) -> None:
        """Answer an invalid request with an error, if still possible, and close the connection.

        Until the client closes, or for a limited time, its bytes are read and dropped. Closing
        earlier would reset the connection, and the client could lose the answer (RFC 9112,
        section 9.6).
        """
        self._failed = True
        if self._http.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            self._respond(status, b"")
        self._transport.write_eof()
        asyncio.get_running_loop().call_later(_LINGER_S, self._transport.close)


async def listen(log: Log, host: str, port: int) -> asyncio.Server:
    """Listen for connections."""
    store = Store(log)
    return await asyncio.get_running_loop().create_server(
        lambda: Connection(store), host, port, backlog=1024
    )


class HttpServer(AsyncServer):
    name = "http"

    async def listen(self, log: Log) -> object:
        return await listen(log, addressing.SERVER_IP, addressing.port("http"))
