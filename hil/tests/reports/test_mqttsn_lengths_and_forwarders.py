"""Are payloads and acknowledgements of MQTT-SN right, however a message begins?

Reports: paho.mqtt-sn.embedded-c #141, mqtt-sn-tools #47, simon622/mqtt-sn #68. MQTT-SN 1.2, 5.2.1:
a length of three bytes may stand before a short message; 5.5: a forwarder sends the messages of
several nodes, each behind a head of its own, and each node counts its own message IDs.
"""

from hil.peers.mqttsn import codec
from hil.tests.reports.wire import Wire

QOS_1 = 0x20


def wide(message: bytes) -> bytes:
    """The same message with a length of three bytes."""
    return b"\1" + (len(message) + 2).to_bytes(2, "big") + message[1:]


def forwarded(node: int, message: bytes) -> bytes:
    return b"\5\xfe\0" + node.to_bytes(2, "big") + message


def publish(identifier: int, topic: int = 1) -> bytes:
    return codec.encode(codec.Publish(QOS_1, topic, identifier, b"x" * 50))


def puback(identifier: int) -> bytes:
    return codec.encode(codec.PubAck(1, identifier, 0))


def test_a_length_of_three_bytes_is_no_payload(analyze):
    wire = Wire()
    for i in range(1, 11):
        wire.up(wide(publish(i)), port=1885)
        wire.down(wide(puback(i)), port=1885)
    run = analyze(wire)
    assert (run.metric("messages"), run.metric("ledger_payload_bytes")) == (10, 500)
    assert run.metric("header_bytes_per_message") == 9


def test_nodes_behind_a_forwarder_have_their_own_identifiers(analyze):
    wire = Wire()
    for i in range(1, 6):
        wire.up(forwarded(1, publish(i, topic=1)), 0.01, port=1885)
        wire.up(forwarded(2, publish(i, topic=2)), 0.01, port=1885)
        wire.down(forwarded(1, puback(i)), 0.02, port=1885)
        wire.down(forwarded(2, puback(i)), 1.0, port=1885)
    run = analyze(wire, "--by", "topic")
    assert run.metric("request_ack_mean_ms", "1") == 20
    assert run.metric("request_ack_mean_ms", "2") == 30
    assert run.metric("frames_with_messages") == 10
    assert run.metric("ledger_payload_bytes") == 500
    assert run.metric("header_bytes_per_message") == 7 + 5
    assert run.metric("ledger_session_bytes") == 0
