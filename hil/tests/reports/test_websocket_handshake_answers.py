"""Which answers to its opening handshake does a device take?

Reports: servers that send 100 or 103 before 101, fields in lists and in other cases, and answers
that agree to what was not asked for.
Rules: RFC 6455, sections 4.1 and 11.3.3; RFC 9110, sections 5.3, 5.5 and 15.2.
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams

_ACCEPT = b"Sec-WebSocket-Accept: @\r\n"
_FIELDS = b"Upgrade: websocket\r\nConnection: Upgrade\r\n" + _ACCEPT
_OTHER = b"Sec-WebSocket-Accept: " + b"A" * 27 + b"=\r\n"
_INTERIM = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nUpgrade: h2c\r\n\r\n"
_101 = b"HTTP/1.1 101 Switching Protocols\r\n"
TAKEN = {
    "list": _101 + b"Upgrade: WebSocket\r\nConnection: keep-alive,\tUpgrade\r\n" + _ACCEPT,
    "list in two fields": _101 + b"Connection: keep-alive\r\n" + _FIELDS,
    "no reason": b"HTTP/1.1 101\r\n" + _FIELDS,
    "interim answers": _INTERIM + _101 + _FIELDS,
    "no subprotocol": _101 + _FIELDS + b"Sec-WebSocket-Protocol: \r\n",
    "long field": _101 + b"Set-Cookie: " + b"a" * 3000 + b"\r\n" + _FIELDS,
}
REFUSED = {
    "another status": b"HTTP/1.1 200 OK\r\n" + _FIELDS,
    "interim answers alone": _INTERIM + b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "fields of an interim answer": b"HTTP/1.1 103 E\r\n" + _FIELDS + b"\r\n" + _101,
    "another protocol beside it": _101 + b"Upgrade: h2c\r\n" + _FIELDS,
    "another accept beside it": _101 + _OTHER + _FIELDS,
    "extension": _101 + _FIELDS + b"Sec-WebSocket-Extensions: permessage-deflate\r\n",
    "long extension": _101 + _FIELDS + b"Sec-WebSocket-Extensions: " + b"x" * 300 + b"\r\n",
    "subprotocol": _101 + _FIELDS + b"Sec-WebSocket-Protocol: mqtt\r\n",
    "CR within a field": _101 + b"X: a\rb\r\n" + _FIELDS,
}


@pytest.mark.parametrize("answer", TAKEN.values(), ids=TAKEN)
def test_taken(engine, answer: bytes) -> None:
    assert streams.websocket(engine, answer=answer + b"\r\n").heard("connected")


@pytest.mark.parametrize("answer", REFUSED.values(), ids=REFUSED)
def test_refused(engine, answer: bytes) -> None:
    device = streams.websocket(engine, answer=answer + b"\r\n")
    assert streams.reasons(device) == ["handshake_refused"]
