"""Does the analysis name a protocol, or a version of one, that it does not read?

Kin of the reports on MQTT over WebSocket (ws #1793) and on DNS on a port that was named as the
device's own (gopacket, test_dns.pcap): a count of 0 messages without a word is the worst answer.
"""

import struct

import pytest

from hil.peers.mqttsn import codec as mqttsn
from hil.tests.reports.wire import Wire

HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000")
AMQP1_OPEN = bytes.fromhex("0000001102000000 005310c00401a10163")
COAP_TCP = bytes.fromhex("00e1 210107b174")


def mqtt_connect(level: int) -> bytes:
    body = b"\0\4MQTT" + bytes([level, 2, 0, 60]) + b"\0\1d"
    return bytes([0x10, len(body)]) + body


def mqtt_publish() -> bytes:
    return bytes([0x30, 9]) + b"\0\1t" + b"hello!"


@pytest.mark.parametrize(
    ("port", "data", "name"),
    [
        (8080, HTTP2, "HTTP/2 (RFC 9113)"),
        (5672, AMQP1_OPEN, "AMQP 1.0 (ISO/IEC 19464)"),
        (5683, COAP_TCP, "CoAP over TCP (RFC 8323)"),
    ],
    ids=["http2", "amqp1", "coap-tcp"],
)
def test_an_error_names_it_where_there_is_nothing_else(analyze, port, data, name):
    wire = Wire()
    wire.connect(port).up(data)
    run = analyze(wire)
    assert run.status == 2
    assert f"{name}, port {port}" in run.error


def test_a_warning_names_it_beside_what_is_read(analyze):
    wire = Wire()
    wire.connect(8080, own=50001).up(HTTP2)
    connection = wire.connect(1883)
    connection.up(mqtt_connect(level=6))
    for _ in range(4):
        connection.up(mqtt_publish())
    wire.up(mqttsn.encode(mqttsn.Connect(4, 2, 60, b"d")), port=1885)
    run = analyze(wire)
    assert (run.status, run.metric("messages")) == (0, 4)
    named = [line.partition(", which is not read")[0] for line in run.warnings]
    assert "1 frame holds HTTP/2 (RFC 9113)" in named
    assert "1 frame holds MQTT of an unknown level" in named
    assert "1 frame holds MQTT-SN of an unknown version" in named


def test_versions_that_are_read_are_not_named(analyze):
    wire = Wire()
    connection = wire.connect(1883)
    for level in (4, 5):
        connection.up(mqtt_connect(level))
    connection.up(mqtt_publish())
    wire.up(mqttsn.encode(mqttsn.Connect(4, 1, 60, b"d")), port=1885)
    assert "not read" not in analyze(wire).said


def test_each_packet_on_a_port_named_for_udp_is_a_message(analyze):
    """DNS on its own port: a dissector takes some of the packets, and they count all the same."""
    query = struct.pack(">HHHHHH", 7, 0x0100, 1, 0, 0, 0) + b"\4test\3com\0\0\1\0\1"
    wire = Wire()
    for _ in range(5):
        wire.up(query, port=53)
        wire.up(b"\x02\x13\x37 own data", port=53)
        wire.down(b"\x02\x13\x37", port=53)
    run = analyze(wire, "--ports", "udp=53")
    assert (run.header("protocol"), run.metric("messages")) == ("udp", 10)
    assert run.metric("ledger_payload_bytes") == 5 * (len(query) + 12 + 3)
