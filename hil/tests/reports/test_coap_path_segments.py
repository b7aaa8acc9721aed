"""Are a slash within a segment of a path, and an empty segment, other than a separator?

Reports: coap-lite #36; libcoap #295, #922; nanocoap #9872.
Rule: RFC 7252, sections 6.4 and 6.5: one Uri-Path option for each segment, empty ones too.
"""

from __future__ import annotations

import pytest

from hil.peers.coap import codec
from hil.tests.reports import coap

TW_DATA = (b"tw", b"data")


@pytest.mark.parametrize(
    ("topic", "path", "code"),
    [
        ("tw/data", TW_DATA, coap.CONTENT),
        ("/tw/data", TW_DATA, coap.CONTENT),
        ("tw/data/", (*TW_DATA, b""), coap.CONTENT),
        ("tw//data", (b"tw", b"", b"data"), coap.CONTENT),
        ("tw/data", (b"tw/data",), coap.NOT_FOUND),
        ("tw/data", (b"", *TW_DATA), coap.NOT_FOUND),
        ("tw/data", (*TW_DATA, b""), coap.NOT_FOUND),
        ("tw/data", (b"tw", b"", b"data"), coap.NOT_FOUND),
        ("tw/data/", TW_DATA, coap.NOT_FOUND),
        ("tw//data", TW_DATA, coap.NOT_FOUND),
        ("tw/data", (b"tw", b"data\0"), coap.NOT_FOUND),
        ("tw/data", (), coap.NOT_FOUND),
        ("tw/data", (b".well-known/core",), coap.NOT_FOUND),
        ("a" * 63, (b"a" * 63,), coap.CONTENT),
        ("a" * 63, (b"a" * 64,), coap.NOT_FOUND),
        ("a" * 63, (b"a" * 63, b""), coap.NOT_FOUND),
    ],
)
def test_server(engine, topic, path, code) -> None:
    device = engine(f"proto=coap role=serve topic={topic} payload_bytes=6")
    device.open()
    device.feed(coap.request(codec.GET, 1, path=path), ("192.0.2.7", 40000))
    assert device.sent()[0].data[1] == code


@pytest.mark.parametrize("topic", ["tw/data", "/tw/data", "tw//data", "tw/data/"])
def test_client_asks_for_what_a_server_of_the_topic_has(engine, topic) -> None:
    client = engine(f"proto=coap role=subscribe observe=0 topic={topic}")
    client.open()
    client.publish(1, 4)
    server = engine(f"proto=coap role=serve topic={topic} payload_bytes=6")
    server.open()
    server.feed(client.sent()[0].data, ("192.0.2.7", 40000))
    client.feed(server.sent()[0].data)
    assert client.heard("acked")
