"""Does a device read an answer with a field that goes on in the next line?

Reports: lightbug_http #148, httparse #68, urllib3 #1362.
Rule: RFC 9112, section 5.2: a user agent MUST take the fold for a space; a server refuses it.
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams


@pytest.mark.parametrize(
    "fields",
    [
        b"X: a\r\n b\r\nContent-Length: 2\r\n",
        b"X: a\r\n\tContent-Length: 9\r\nContent-Length:\r\n  2\r\n",
        b"Content-Length: 2\r\nConnection: x,\r\n keep-alive\r\n",
    ],
)
def test_response(engine, fields: bytes) -> None:
    device = streams.http_client(engine)
    device.feed(b"HTTP/1.1 200 OK\r\n" + fields + b"\r\nok")
    assert device.heard("acked") and device.publish(2, 8) == "published"


def test_answer_to_a_websocket(engine) -> None:
    answer = (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade:\r\n websocket\r\nX: a\r\n b: c\r\n"
        b"Connection: x,\r\n Upgrade\r\nSec-WebSocket-Accept: @\r\n\r\n"
    )
    assert streams.websocket(engine, answer=answer).heard("connected")


def test_request(engine) -> None:
    request = b"GET /a HTTP/1.1\r\nHost: board\r\nX: a\r\n b\r\n\r\n"
    assert streams.http_statuses(streams.http_answer(engine, request)) == [400]
