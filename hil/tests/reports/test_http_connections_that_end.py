"""Do server and client agree about where messages and connections end?

Reports: bun #33005, #38343 (requests behind one that closes), firedancer #11057 ("xclose"),
async-http-client #16 and trafficserver #271 (HEAD), cpython #157951 (304 with chunks), v #27000.
Rules: RFC 9112, sections 6.3, 9.2 and 9.6; RFC 9110, sections 9.3.2, 10.1.1 and 15.2.
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams

_HEAD = b"GET /a HTTP/1.1\r\nHost: board\r\n"
_OLD = b"GET /a HTTP/1.0\r\n"
PIPELINES = {  # the statuses of the answers, and whether the connection ends
    "close": (_HEAD + b"Connection: close\r\n\r\n" + _HEAD + b"\r\n", [200], True),
    "close in a list": (_HEAD + b"Connection: te, Close\r\n\r\n" + _HEAD + b"\r\n", [200], True),
    "close in another field": (
        _HEAD + b"Connection: keep-alive\r\nConnection: close\r\n\r\n" + _HEAD + b"\r\n",
        [200],
        True,
    ),
    "xclose": (_HEAD + b"Connection: xclose\r\n\r\n" + _HEAD + b"\r\n", [200, 200], False),
    "HTTP/1.0 first": (_OLD + b"\r\n" + _HEAD + b"\r\n", [200], True),
    "HTTP/1.0 last": (_HEAD + b"\r\n" + _OLD + b"\r\n", [200, 200], True),
    "HTTP/1.9": (_HEAD.replace(b"1.1", b"1.9") + b"\r\n", [200], False),
    "preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [505], True),
    "greeting of TLS": (bytes.fromhex("16030100050100000103") + b"\n\n", [400], True),
    "lower case": (_HEAD.replace(b"GET", b"get") + b"\r\n", [405], False),
    "two blanks": (_HEAD.replace(b" /a", b"  /a") + b"\r\n", [400], True),
    "expectation without a body": (
        _HEAD + b"Expect: 100-continue\r\nContent-Length: 0\r\n\r\n" + _HEAD + b"\r\n",
        [200, 200],
        False,
    ),
    "range and condition": (
        _HEAD + b'Range: bytes=1-2\r\nIf-None-Match: "x"\r\n\r\n',
        [200],
        False,
    ),
}


@pytest.mark.parametrize(("requests", "statuses", "ends"), PIPELINES.values(), ids=PIPELINES)
def test_pipeline(engine, requests: bytes, statuses: list[int], ends: bool) -> None:
    device = streams.http_server(engine)
    device.feed(requests)
    answered = streams.http_statuses(streams.sent(device))
    assert [status for status in answered if status != 100] == statuses
    assert bool(streams.reasons(device)) == ends


@pytest.mark.parametrize("words", ["", "chunked=1"])
def test_head_before_get(engine, words: str) -> None:
    device = streams.http_server(engine, words)
    device.feed(_HEAD.replace(b"GET", b"HEAD") + b"\r\n")
    assert streams.sent(device).endswith(b"\r\n\r\n")
    device.feed(_HEAD + b"\r\n")
    assert streams.sent(device).startswith(b"HTTP/1.1 200")


_KEPT = {
    "304 in chunks": b"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
    "304 with a length": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n",
    "204 in chunks": b"HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n",
    "205": b"HTTP/1.1 205 Reset\r\nContent-Length: 0\r\n\r\n",
    "redirection": b"HTTP/1.1 301 Moved\r\nLocation: /b\r\nContent-Length: 2\r\n\r\nhi",
    "a thousand interim ones": b"HTTP/1.1 102 On it\r\n\r\n" * 1000 + b"HTTP/1.1 204 \r\n\r\n",
    "trailer": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n"
    b"2\r\nhi\r\n0\r\nContent-Length: 7\r\nX: y\r\n\r\n",
}


@pytest.mark.parametrize("answer", _KEPT.values(), ids=_KEPT)
def test_answer_that_keeps_the_connection(engine, answer: bytes) -> None:
    device = streams.http_client(engine)
    for at in range(len(answer)):
        device.feed(answer[at : at + 1])
    assert device.heard("acked") or device.heard("failed")
    assert not streams.reasons(device) and device.publish(2, 8) == "published"
    device.sent()
    device.feed(b"HTTP/1.1 204 No Content\r\n\r\n")
    assert device.heard("acked")[-1].seq == 2


_ENDED = {
    "close in a list": b"HTTP/1.1 204 No\r\nConnection: Keep-Alive, CLOSE\r\n\r\n",
    "HTTP/1.0": b"HTTP/1.0 204 No\r\n\r\n",
}


@pytest.mark.parametrize("answer", _ENDED.values(), ids=_ENDED)
def test_answer_that_ends_the_connection(engine, answer: bytes) -> None:
    device = streams.http_client(engine)
    device.feed(answer)
    assert device.heard("acked") and streams.reasons(device) == ["response_complete"]


def test_timeout_of_an_idle_server_fails_no_message(engine) -> None:
    device = streams.http_client(engine)
    device.feed(b"HTTP/1.1 204 No\r\n\r\n")
    device.feed(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n")
    assert streams.reasons(device) == ["unexpected_response"] and not device.heard("failed")
    device.close()
    device.open()
    assert device.publish(2, 8) == "published"
