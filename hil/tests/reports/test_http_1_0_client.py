"""Can a client of HTTP/1.0 talk to a serving device?

Reports: hyper #1614, #1393, envoy #10769, netty #241, swift-nio #260 (`ab -k` waits for ever);
hyper #3294, mongrel2 #153, lua-http #41 (100 Continue).
Rules: RFC 9112, appendix C.2.2 (keep-alive has to be confirmed) and section 6.1 (no
Transfer-Encoding); RFC 9110, section 10.1.1 (Expect MUST be ignored).
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("Keep-Alive", b"keep-alive"), ("x, keep-alive", b"keep-alive"), ("TE", b"close")],
)
def test_connection(engine, asked: str, expected: bytes) -> None:
    device = streams.http_server(engine)
    request = f"GET /a HTTP/1.0\r\nConnection: {asked}\r\n\r\n".encode()
    device.feed(request)
    assert b"\r\nConnection: " + expected + b"\r\n" in streams.sent(device)
    assert bool(device.heard("close")) == (expected == b"close")


def test_expect(engine) -> None:
    request = b"POST /a HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    device = streams.http_server(engine)
    device.feed(request)
    assert not streams.sent(device)
    device.feed(b"hi")
    assert streams.http_statuses(streams.sent(device)) == [204]


def test_no_chunks(engine) -> None:
    answer = streams.http_answer(engine, b"GET /a HTTP/1.0\r\n\r\n", "chunked=1")
    assert b"Content-Length: 6" in answer and b"Transfer-Encoding" not in answer
