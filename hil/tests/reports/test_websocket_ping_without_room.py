"""Does a device live on when Pings come faster than its Pongs can leave?

Reports: libwebsockets #3371 (a Pong behind a full buffer), ws #1337 (many Pings at once).
Rules: RFC 6455, sections 5.5.2 and 5.5.3: of several Pings only the last needs a Pong.
"""

from __future__ import annotations

from hil.tests.reports import streams

PING, PONG, CLOSE, TEXT = 9, 10, 8, 1


def test_pings_behind_a_long_message(engine) -> None:
    device = streams.websocket(engine, "role=publish confirmable=0")
    assert device.publish(1, 16000) == "published"
    for i in range(2000):
        device.feed(b"\x89\x7d" + bytes([i % 251]) * 125)
        device.wait(0.01, room=10)
    assert not streams.reasons(device)
    data = streams.sent(device)
    frames = streams.websocket_frames(data[8 + 16000 :])
    assert {opcode for opcode, _ in frames} == {PONG}
    assert frames[-1] == (PONG, bytes([1999 % 251]) * 125)
    device.feed(b"\x89\x02hi")
    assert streams.websocket_frames(streams.sent(device)) == [(PONG, b"hi")]


def test_a_close_finds_room(engine) -> None:
    device = streams.websocket(engine, "role=subscribe keepalive_s=5")
    device.sent()
    for _ in range(1000):
        device.feed(b"\x89\x00")
        device.wait(4, room=0)
    device.feed(b"\x88\x02\x03\xe8")
    assert streams.websocket_frames(streams.sent(device))[-1] == (CLOSE, b"\x03\xe8")


def test_a_peer_that_reads_nothing_is_given_up(engine) -> None:
    device = streams.websocket(engine, "role=subscribe keepalive_s=5")
    device.sent()
    for _ in range(1000):
        device.feed(b"\x89\x00")
    device.wait(20, room=0)
    assert streams.reasons(device) == ["no_pong"]
