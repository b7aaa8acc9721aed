"""Are the properties of MQTT 5 no payload where the capture lacks the CONNECT?

Only CONNECT has the version. contiki-ng #1341 and paho.mqtt.python #672: properties in the payload.
"""

import struct

import pytest

from hil.peers.mqtt import codec
from hil.tests.reports.wire import Wire

ALIAS = b"\x23\0\3"
FORMAT = b"\1\1"


def publish(number: int, properties: bytes | None, payload: bytes) -> bytes:
    """A PUBLISH at QoS 1, of MQTT 3.1.1 without `properties`."""
    head = struct.pack(">H", 3) + b"a/t" + struct.pack(">H", number)
    middle = b"" if properties is None else bytes([len(properties)]) + properties
    body = head + middle + payload
    return bytes([0x32, len(body)]) + body


def session(properties: bytes | None, payload: bytes) -> Wire:
    wire = Wire()
    connection = wire.connect(1883, handshake=False)
    for number in range(1, 6):
        connection.up(publish(number, properties, payload))
        connection.down(codec.acknowledge(codec.PUBACK, number), 0.005)
        connection.acknowledge(True)
    return wire


@pytest.mark.parametrize("properties", [b"", ALIAS, FORMAT + ALIAS], ids=["none", "one", "two"])
def test_properties_are_no_payload(analyze, properties: bytes):
    run = analyze(session(properties, b"x" * 50))
    assert (run.metric("messages"), run.n("request_ack_mean_ms")) == (5, 5)
    assert run.metric("ledger_payload_bytes") == 250
    assert run.metric("ledger_header_bytes") == 5 * 9
    assert run.metric("ledger_properties_bytes") == 5 * (1 + len(properties))
    assert [line.partition(" of sessions")[0] for line in run.warnings] == ["lacks the CONNECT"]


@pytest.mark.parametrize("payload", [b"x" * 50, b'{"t": 21}', b"\2\x50\x60" + b"z" * 40, b"21"])
def test_a_payload_that_fits_no_properties_is_payload(analyze, payload: bytes):
    run = analyze(session(None, payload))
    assert run.metric("messages") == 5
    assert (run.metric("ledger_payload_bytes"), run.warnings) == (5 * len(payload), [])
