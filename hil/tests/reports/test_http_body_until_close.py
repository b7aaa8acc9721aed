"""Is a body payload where only the connection's end says how long it is?

An answer with neither Content-Length nor chunks has all that comes until the server closes (RFC
9112, 6.3). Servers of HTTP/1.0 answer so.
"""

from __future__ import annotations

import pytest

from hil.tests.reports.wire import Wire

ASKED = b"GET /a HTTP/1.0\r\nHost: x\r\n\r\n"
HEAD = b"HTTP/1.0 200 OK\r\nServer: y\r\n\r\n"


@pytest.mark.parametrize("parts", [(300,), (100, 100, 100)], ids=["one segment", "three segments"])
def test_a_body_that_a_close_ends_is_payload(analyze, parts: tuple[int, ...]):
    wire = Wire()
    for number in range(3):
        connection = wire.connect(8080, own=50000 + number)
        connection.up(ASKED, 0.01)
        connection.down(HEAD + b"b" * parts[0], 0.01)
        for size in parts[1:]:
            connection.down(b"b" * size, 0.01)
        connection.acknowledge(True)
        connection.close()
    run = analyze(wire)
    assert (run.metric("messages"), run.metric("responses")) == (3, 3)
    assert run.metric("ledger_payload_bytes") == 900
    assert run.metric("ledger_header_bytes") == 3 * (len(ASKED) + len(HEAD))


def test_an_answer_without_a_body_has_no_payload(analyze):
    wire = Wire()
    connection = wire.connect(8080)
    connection.up(ASKED, 0.01)
    connection.down(HEAD, 0.01)
    connection.close()
    assert analyze(wire).metric("ledger_payload_bytes") == 0
