"""What if the answer comes while the request is still being sent?

Reports: clients that cut the body short and send the next request behind it (kin of hyper #1614).
Rules: RFC 9112, sections 9.3 (the body has to leave if the connection stays) and 9.5 (or the
connection ends); RFC 9110, section 10.1.1 (a refusal answers Expect at once).
"""

from __future__ import annotations

from hil.tests.reports import streams


def early(engine, answer: bytes):
    device = engine("proto=http role=publish topic=a peer=10.0.0.1")
    device.open()
    device.publish(1, 1000)
    device.sent(room=300)
    device.feed(answer)
    return device


def test_connection_stays(engine) -> None:
    device = early(engine, b"HTTP/1.1 204 No Content\r\n\r\n")
    assert device.heard("acked")
    assert device.publish(2, 8) == "busy"
    assert len(streams.sent(device)) > 700
    assert device.publish(2, 8) == "published"
    assert streams.sent(device).startswith(b"POST /a HTTP/1.1\r\n")


def test_connection_ends(engine) -> None:
    device = early(
        engine, b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    )
    assert [event.reason for event in device.heard("failed")] == ["refused"]
    assert device.heard("close") and not device.sent()


def test_refusal_of_who_waits(engine) -> None:
    device = streams.http_server(engine)
    head = b"POST /b HTTP/1.1\r\nHost: board\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    device.feed(head)
    assert streams.http_statuses(streams.sent(device)) == [404]
