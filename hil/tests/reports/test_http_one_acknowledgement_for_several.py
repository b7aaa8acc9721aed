"""Has each request its TCP acknowledgement where one acknowledges several?

A receiver may acknowledge every second segment (RFC 9293, 3.8.6.3). tshark names the last segment
that an acknowledgement covers (tcp.analysis.acks_frame), and none before it. Clients that send
several requests at once show it (pyshark #444).
"""

import pytest

from hil.tests.reports.wire import Wire

REQUEST = b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


@pytest.mark.parametrize("start", [1000, (1 << 32) - 200], ids=["", "number-wraps"])
def test_each_request_is_acknowledged(analyze, start):
    wire = Wire()
    connection = wire.connect(8080, sequences=(start, 5000))
    for _ in range(3):
        for _ in range(3):
            connection.segment(True, REQUEST, then_s=0.01)
        connection.acknowledge(False, 0.01)
        for _ in range(3):
            connection.segment(False, ANSWER)
            connection.acknowledge(True)
    connection.close()
    run = analyze(wire)
    assert (run.metric("request_ack_mean_ms"), run.n("request_ack_mean_ms")) == (20, 9)
    assert run.metric("request_ack_max_ms") == 30


def test_a_request_that_is_not_acknowledged_has_none(analyze):
    wire = Wire()
    connection = wire.connect(8080)
    connection.segment(True, REQUEST, then_s=0.01)
    seen = connection.next[True]
    connection.segment(True, REQUEST, then_s=0.01)
    connection.segment(False, ANSWER, acknowledged=seen, then_s=5)
    connection.segment(False, ANSWER, acknowledged=seen)
    assert analyze(wire).n("request_ack_mean_ms") == 1
