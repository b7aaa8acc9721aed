"""Are chunks refused whose lines end in LF alone, or in anything but CRLF?

Reports: CVE-2025-22871 (golang #71988), nginx #1016, CVE-2025-43859 (h11).
Rules: RFC 9112, sections 2.2 and 7.1, with erratum 7633: readers that disagree about such a line
disagree about where the message ends.
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams

BODIES = {
    "size": b"2\nhi\r\n0\r\n\r\n",
    "data": b"2\r\nhi\n0\r\n\r\n",
    "other bytes after the data": b"2\r\nhiXX0\r\n\r\n",
    "last chunk": b"2\r\nhi\r\n0\n\r\n",
    "trailer": b"2\r\nhi\r\n0\r\nT: x\n\r\n",
    "end": b"2\r\nhi\r\n0\r\n\n",
    "CR within an extension": b"2;a\rb\r\nhi\r\n0\r\n\r\n",
}
FIELD = b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_request(engine, body: bytes) -> None:
    request = b"POST /a HTTP/1.1\r\nHost: board\r\n" + FIELD + body
    assert streams.http_statuses(streams.http_answer(engine, request)) == [400]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_response(engine, body: bytes) -> None:
    device = streams.http_client(engine)
    device.feed(b"HTTP/1.1 200 OK\r\n" + FIELD + body)
    assert streams.reasons(device) == ["malformed_response"]
