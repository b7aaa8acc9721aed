"""Does a serving device take a request whose target is a whole address?

Reports: xrootd #1675, drogon #1718, restlet #846, lightbug_http #134; any client with a proxy
(`curl -x`) sends it.
Rules: RFC 9112, section 3.2.2 (a server MUST accept the absolute form); RFC 9110, sections 4.2.1
(a host), 4.2.4 (no user) and 7.4 (https needs a secured connection).
"""

from __future__ import annotations

import pytest

from hil.peers.http.server import resource
from hil.tests.reports import streams


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://192.0.2.1/a", 200),
        ("HTTP://board.example:8080/a?x=1", 200),
        ("http://[2001:db8::1]/a", 200),
        ("http://board.example/b", 404),
        ("http://board.example", 404),
        ("http:///a", 400),
        ("http://user@board.example/a", 400),
        ("https://board.example/a", 421),
        ("*", 400),
    ],
)
def test_target(engine, target: str, status: int) -> None:
    request = f"GET {target} HTTP/1.1\r\nHost: board\r\n\r\n".encode()
    assert streams.http_statuses(streams.http_answer(engine, request)) == [status]


@pytest.mark.parametrize(
    ("target", "where"),
    [
        (b"http://192.0.2.1/a", b"/a"),
        (b"HTTPS://board.example:8080/a?x=http://b/c", b"/a?x=http://b/c"),
        (b"http://board.example", b"/"),
        (b"http://board.example?x", b"/?x"),
        (b"/a?x=http://b", b"/a?x=http://b"),
    ],
)
def test_server_of_the_laboratory(target: bytes, where: bytes) -> None:
    assert resource(target) == where
