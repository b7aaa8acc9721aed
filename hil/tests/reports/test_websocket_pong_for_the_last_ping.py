"""Does a Pong for the last Ping acknowledge the messages before it?

Reports: okhttp #3227, capnproto #1772.
Rule: RFC 6455, section 5.5.3: a peer MAY answer the most recent Ping only.
"""

from __future__ import annotations

from hil.tests.reports import streams

_PING, _PONG = 9, b"\x8a"


def test_keep_alive(engine) -> None:
    device = streams.websocket(engine, "role=publish confirmable=1 keepalive_s=5")
    device.publish(1, 8)
    device.wait(5.1)
    frames = streams.websocket_frames(streams.sent(device))
    assert [body for opcode, body in frames if opcode == _PING] == [b"\0\0\0\1", b""]
    device.publish(2, 8)
    device.feed(_PONG + b"\0")  # for the second of them
    assert [event.seq for event in device.heard("acked")] == [1]


def test_messages(engine) -> None:
    device = streams.websocket(engine, "role=publish confirmable=1 keepalive_s=0")
    for seq in (1, 2, 3):
        device.publish(seq, 8)
    device.feed(_PONG + b"\4\0\0\0\2")
    assert [event.seq for event in device.heard("acked")] == [1, 2]
