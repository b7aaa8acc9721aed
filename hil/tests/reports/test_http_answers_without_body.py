"""Has an answer to HEAD, or one with status 304, a body that its Content-Length names?

It has none (RFC 9112, 6.3; RFC 9110, 8.6). llhttp #202 keeps the length of an answer to HEAD for
the next one.
"""

import pytest

from hil.tests.reports.wire import Wire

HEAD = b"HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n"
GET = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
LENGTH = b"\r\nContent-Length: 25\r\n\r\n"


@pytest.mark.parametrize(
    ("asked", "answer", "payload"),
    [
        (HEAD, b"HTTP/1.1 200 OK" + LENGTH, 0),
        (GET, b"HTTP/1.1 304 Not Modified" + LENGTH, 0),
        (GET, b"HTTP/1.1 200 OK" + LENGTH + b"b" * 25, 25),
        (HEAD, b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK" + LENGTH, 0),
    ],
    ids=["head", "304", "get", "early-hints"],
)
def test_only_a_body_is_payload(analyze, asked: bytes, answer: bytes, payload: int):
    wire = Wire()
    connection = wire.connect(8080)
    for _ in range(5):
        connection.up(asked, 0.01)
        connection.down(answer, 0.01)
        connection.acknowledge(True)
    run = analyze(wire)
    assert (run.metric("messages"), run.metric("responses")) == (5, 5)
    assert run.metric("ledger_payload_bytes") == 5 * payload


def test_each_answer_has_the_request_that_it_is_to(analyze):
    """A capture that began late holds an answer whose request it lacks."""
    wire = Wire()
    connection = wire.connect(8080, handshake=False)
    connection.down(b"HTTP/1.1 200 OK" + LENGTH + b"b" * 25)
    for asked, body in ((GET, b"b" * 25), (HEAD, b""), (GET, b"b" * 25)):
        connection.up(asked, 0.01)
        connection.down(b"HTTP/1.1 200 OK" + LENGTH + body, 0.01)
        connection.acknowledge(True)
    assert analyze(wire).metric("ledger_payload_bytes") == 3 * 25
