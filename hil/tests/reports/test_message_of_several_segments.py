"""Is the time of a message that of its last segment?

AMQP sends a method, a header and bodies as frames of their own (0-9-1, 4.2.6): a message is sent
when its last body is. Large contents have several bodies (lapin #71).
"""

import struct

import pytest

from hil.peers.amqp import codec
from hil.tests.reports.wire import Wire


def opening() -> list[bytes]:
    return [
        codec.HEADER,
        codec.method(1, codec.CHANNEL_OPEN, codec.short("")),
        codec.method(1, codec.CONFIRM_SELECT, b"\0"),
    ]


def publish(*bodies: bytes) -> bytes:
    """A content in one frame for each of these bodies."""
    size = sum(map(len, bodies))
    return b"".join(
        [
            codec.method(1, codec.PUBLISH, b"\0\0" + codec.short("") + codec.short("a") + b"\0"),
            codec.frame(codec.CONTENT_HEADER, 1, struct.pack(">HHQH", 60, 0, size, 0)),
            *(codec.frame(codec.CONTENT_BODY, 1, body) for body in bodies),
        ]
    )


@pytest.mark.parametrize("bodies", [1, 2, 30], ids=["one-body", "two-bodies", "short-bodies"])
def test_amqp_content_stands_where_its_last_body_ends(analyze, bodies):
    wire = Wire()
    connection = wire.connect(5672)
    for words in opening():
        connection.up(words)
    for tag in range(1, 6):
        data = publish(*[b"x" * (3000 // bodies)] * bodies)
        connection.segment(True, data[:1000], then_s=0.1)
        connection.segment(True, data[1000:2000], then_s=0.1)
        connection.segment(True, data[2000:], then_s=0.01)
        connection.down(codec.method(1, codec.ACK, struct.pack(">Q?", tag, False)), 0.01)
        connection.acknowledge(True, 0.5)
    run = analyze(wire)
    assert (run.metric("messages"), run.n("request_ack_mean_ms")) == (5, 5)
    assert run.metric("request_ack_mean_ms") == pytest.approx(10)
    assert run.metric("frames_with_messages") == 5
    assert run.metric("ledger_payload_bytes") == 15000
    headers = 54
    session = 2 * headers + sum(headers + len(words) for words in opening())
    assert run.metric("ledger_session_bytes") == session
    confirm = len(codec.method(1, codec.ACK, bytes(9)))
    assert run.metric("exchange_bytes_per_message") == len(data) + confirm + 5 * headers
