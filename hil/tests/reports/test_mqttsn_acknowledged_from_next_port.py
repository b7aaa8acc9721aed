"""Does an acknowledgement to a client's next port belong to the message from its last one?

A client of MQTT-SN that keeps its session (CleanSession 0) and comes back from another port sends
its unacknowledged messages again (MQTT-SN 1.2, 6.3 and 6.13).
"""

import pytest

from hil.tests.reports.wire import Wire

CONNECT, CONNACK, PUBLISH, PUBACK = 0x04, 0x05, 0x0C, 0x0D
GATEWAY = 1884


def _message(kind: int, body: bytes) -> bytes:
    return bytes([2 + len(body), kind]) + body


@pytest.mark.parametrize(("clean", "acknowledged"), [(0, 1), (4, 0)])
def test_a_kept_session_acknowledges_to_another_port(analyze, clean, acknowledged):
    wire = Wire()
    for port, dup in ((50000, 0), (50001, 0x80)):
        connect = bytes([clean, 1, 0, 60]) + b"dev"
        wire.up(_message(CONNECT, connect), port=GATEWAY, own=port)
        wire.down(_message(CONNACK, b"\0"), port=GATEWAY, own=port)
        publish = bytes([0x21 | dup, 0, 1, 0, 7]) + b"hello"
        wire.up(_message(PUBLISH, publish), port=GATEWAY, own=port)
        wire.now_s += 5
    wire.down(_message(PUBACK, b"\0\1\0\7\0"), port=GATEWAY, own=50001)
    run = analyze(wire)
    assert (run.metric("messages"), run.metric("messages_repeated")) == (1, 1)
    assert run.n("request_ack_mean_ms") == acknowledged
