"""Is TLS to which there are no keys named, and does each record count?

Records of one segment are one layer elsewhere (pyshark #419).
"""

import struct

import pytest

from hil.tests.reports import mqtt
from hil.tests.reports.wire import Connection, Wire

HELLO = struct.Struct(">2s32xB")
TLS13 = bytes.fromhex("0006002b00020304")  # extension supported_versions (RFC 8446, 4.2.1)


def record(kind: int, body: bytes, version: bytes = b"\x03\x03") -> bytes:
    return bytes([kind]) + version + struct.pack(">H", len(body)) + body


def handshake(kind: int, body: bytes) -> bytes:
    return record(22, bytes([kind]) + len(body).to_bytes(3, "big") + body)


def secured(wire: Wire, suite: int, version: bytes, own: int = 50000) -> Connection:
    """A connection after both hellos; the server takes the suite."""
    connection = wire.connect(8883, own)
    chosen = struct.pack(">H", suite)
    connection.up(handshake(1, HELLO.pack(version, 0) + b"\0\2" + chosen + b"\1\0"))
    more = TLS13 if suite >> 8 == 0x13 else b""
    connection.down(handshake(2, HELLO.pack(version, 0) + chosen + b"\0" + more))
    for send in (connection.up, connection.down):
        send(record(20, b"\1", version))
    return connection


@pytest.mark.parametrize(
    ("suite", "version", "name"),
    [
        (0xC02B, b"\3\3", "TLS 1.2"),
        (0xC013, b"\3\1", "TLS 1.0"),
        (0x1301, b"\3\3", "TLS 1.3"),
    ],
)
def test_its_name_version_and_frames(analyze, suite: int, version: bytes, name: str):
    wire = Wire()
    connection = secured(wire, suite, version)
    data = record(23, b"\x99" * 40, version)
    for _ in range(6):
        connection.up(data + data)
        connection.acknowledge(False)
    run = analyze(wire)
    assert run.header("protocol") == "tls"
    hidden = 1 if name == "TLS 1.3" else 0  # the client's Finished looks like data
    assert run.metric("messages") == 12 - hidden
    assert [line.partition(",")[0] for line in run.warnings] == [
        f"6 frames hold {name} without its keys"
    ]


def test_it_is_named_beside_what_is_read(analyze):
    wire = Wire()
    secured(wire, 0xC02B, b"\3\3", own=50001).up(record(23, b"\x99" * 40))
    session = mqtt.connect(wire)
    for number in range(1, 4):
        mqtt.publish(session, number)
    session.close()
    run = analyze(wire)
    assert (run.header("protocol"), run.metric("messages")) == ("mqtt", 3)
    assert any(line.startswith("1 frame holds TLS 1.2 without its keys") for line in run.warnings)


def test_each_record_of_a_datagram_counts(analyze):
    wire = Wire()
    for number in range(5):
        numbers = (struct.pack(">HIH", 0, 2 * number + i, 40) for i in range(2))
        records = [b"\x17\xfe\xfd\0\1" + head + b"\x99" * 40 for head in numbers]
        wire.up(b"".join(records), port=5684)
        wire.down(records[0], port=5684)
    run = analyze(wire)
    assert (run.header("protocol"), run.metric("messages")) == ("dtls", 10)
    assert run.warnings[0].startswith("10 frames hold DTLS 1.2 without its keys")
