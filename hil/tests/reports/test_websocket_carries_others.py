"""Are WebSocket frames that carry CoAP or compressed data counted, and named?

CoAP over WebSocket: RFC 8323, 4 (subprotocol coap). Compression: RFC 7692; ws #1793 is kin.
"""

import zlib

import pytest

from hil.tests.reports.wire import Connection, Wire

KEY = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
ACCEPT = b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"  # RFC 6455, 1.3
UPGRADE = b"Upgrade: websocket\r\nConnection: Upgrade\r\n"


def opened(wire: Wire, field: bytes) -> Connection:
    connection = wire.connect(80)
    version = b"Sec-WebSocket-Version: 13\r\n"
    head = b"GET / HTTP/1.1\r\nHost: x\r\n" + UPGRADE + KEY + version
    connection.up(head + field + b"\r\n\r\n")
    head = b"HTTP/1.1 101 Switching Protocols\r\n" + UPGRADE + ACCEPT
    connection.down(head + field + b"\r\n\r\n")
    return connection


def deflated(text: bytes) -> bytes:
    """The payload of a compressed message (RFC 7692, 7.2.1)."""
    engine = zlib.compressobj(9, zlib.DEFLATED, -15)
    return (engine.compress(text) + engine.flush(zlib.Z_SYNC_FLUSH))[:-4]


@pytest.mark.parametrize(
    ("field", "first", "data", "name"),
    [
        (
            b"Sec-WebSocket-Protocol: coap",
            0x82,
            bytes.fromhex("01027f b161 ff") + b"hello",
            "CoAP over WebSocket (RFC 8323)",
        ),
        (
            b"Sec-WebSocket-Extensions: permessage-deflate",
            0xC2,
            deflated(b"hello" * 20),
            "compressed WebSocket frames (RFC 7692)",
        ),
    ],
    ids=["coap", "compressed"],
)
def test_its_frames_are_the_messages(analyze, field: bytes, first: int, data: bytes, name: str):
    wire = Wire()
    connection = opened(wire, field)
    for _ in range(5):
        connection.up(bytes([first, 0x80 | len(data), 0, 0, 0, 0]) + data)
        connection.acknowledge(False)
    connection.close()
    run = analyze(wire)
    assert (run.header("protocol"), run.metric("messages")) == ("websocket", 5)
    assert run.metric("ledger_payload_bytes") == 5 * len(data)
    assert [line.partition(", which")[0] for line in run.warnings] == [f"5 frames hold {name}"]
