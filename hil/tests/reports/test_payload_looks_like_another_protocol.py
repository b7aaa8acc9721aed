"""Does what a message carries, or one stranger's packet, change how its port is read?

Reports: ws #1793, paho.mqtt.javascript #45, mitmproxy-mqtt #3 (MQTT over WebSocket was read as MQTT
from the first byte of the connection on: 2 of 20 messages). MQTT 3.1.1, 6: MQTT travels in data
frames of WebSocket, and the subprotocol says so.
"""

import pytest

from hil.peers.amqp import codec as amqp
from hil.peers.coap import codec as coap
from hil.tests.reports.wire import Connection, Wire

MQTT_CONNECT = bytes.fromhex("100d00044d51545404020000000164")
LOOKS = {
    "mqtt": MQTT_CONNECT,
    "http": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "tls": bytes.fromhex("160301000501000001ff"),
    "amqp": amqp.HEADER,
    "dtls": bytes.fromhex("16fefd0000000000000000000101"),
    "coap": bytes.fromhex("40010001"),
    "mqttsn": bytes.fromhex("0a0c2000010001616263"),
}
KEY, ACCEPT = b"dGhlIHNhbXBsZSBub25jZQ==", b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


def frame(data: bytes, mask: bytes = b"") -> bytes:
    """A data frame of WebSocket, short."""
    return bytes([0x82, len(data) | (0x80 if mask else 0)]) + mask + data


def websocket(wire: Wire, protocol: bytes = b"x") -> Connection:
    connection = wire.connect(80)
    upgrade = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: " + protocol
    connection.up(
        b"GET / HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
        + KEY
        + b"\r\n"
        + upgrade
        + b"\r\n\r\n"
    )
    accept = b"HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: " + ACCEPT + b"\r\n"
    connection.down(accept + upgrade + b"\r\n\r\n")
    return connection


@pytest.mark.parametrize("look", LOOKS)
def test_payloads_of_websocket_http_and_coap_stay_payloads(analyze, look: str):
    data = LOOKS[look]
    wire = Wire()
    socket = websocket(wire)
    post = wire.connect(8080, own=50001)
    for i in range(5):
        socket.up(frame(data, bytes(4)))
        post.up(b"POST /p HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(data) + data)
        post.down(b"HTTP/1.1 204 No Content\r\n\r\n")
        request = coap.Message(coap.NON, coap.POST, i, bytes([i]), payload=data)
        wire.up(coap.encode(request), own=50002)
    run = analyze(wire, device="")
    found = {row["protocol"]: row["to_server"] for row in run.json["conversations"]}
    assert found == {"websocket": 5, "http": 5, "coap": 5}


@pytest.mark.parametrize("options", [[], ["--ports", "websocket=80"]])
def test_mqtt_over_websocket_counts_frames_and_says_so(analyze, options: list[str]):
    wire = Wire()
    socket = websocket(wire, b"mqtt")
    for data in (MQTT_CONNECT, *[bytes.fromhex("300600017468656c")] * 20):
        socket.up(frame(data, bytes(4)))
    run = analyze(wire, *options)
    assert (run.header("protocol"), run.metric("messages")) == ("websocket", 21)
    assert any("MQTT over WebSocket" in line for line in run.warnings)


def test_a_stranger_s_first_packet_does_not_decide(analyze):
    """A port scanner's request on the own port of a broker, before the device's session."""
    wire = Wire()
    scan = wire.connect(2000, own=50001)
    scan.up(LOOKS["http"])
    session = wire.connect(2000)
    session.up(MQTT_CONNECT)
    for _ in range(5):
        session.up(bytes.fromhex("300600017468656c"))
    run = analyze(wire)
    assert (run.header("protocol"), run.metric("messages")) == ("mqtt", 5)
