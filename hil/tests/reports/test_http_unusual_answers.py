"""Does a publishing device accept answers that servers send rarely, but may send?

Reports: xrootd #1120 (100 with a length), servers that pad chunk sizes, answers by HTTP/1.0.
Rules: RFC 9110, section 15.2 (any interim answers); RFC 9112, sections 4, 6.3 and 7.1.
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams

_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
ANSWERS = {
    "no reason": b"HTTP/1.1 204\r\n\r\n",
    "interim ones": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
    b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    "100 with a length": b"HTTP/1.1 100\r\nContent-Length: 0\r\n\r\nHTTP/1.1 204 No\r\n\r\n",
    "204 with a length": b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
    "the same length twice": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
    "padded chunk size": _CHUNKED + b"2   \r\nhi\r\n0\r\n\r\n",
    "zeros before the chunk size": _CHUNKED + b"0000000000000002\r\nhi\r\n0000\r\n\r\n",
    "long chunk extension": _CHUNKED + b"2;" + b"e" * 300 + b"\r\nhi\r\n0\r\n\r\n",
    "lines in LF": b"HTTP/1.1 204 No Content\nX: y\n\n",
    "long field": b"HTTP/1.1 204 No\r\nSet-Cookie: " + b"a" * 5000 + b"\r\n\r\n",
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
    "empty line behind": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi\r\n",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_answer(engine, answer: bytes) -> None:
    device = streams.http_client(engine)
    device.feed(answer)
    assert device.heard("acked") and not device.heard("error")
    assert device.publish(2, 8) == "published"


def test_until_the_end(engine) -> None:
    device = streams.http_client(engine)
    device.feed(b"HTTP/1.0 200 OK\r\n\r\nhello")
    assert not device.heard("acked")
    device.close()
    assert device.heard("acked")


def test_length_of_3_gb(engine) -> None:
    device = streams.http_client(engine)
    device.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 3000000000\r\n\r\nhi")
    assert not device.heard("error")
