"""Is CoAP read as CoAP where its payload begins like a message of MQTT-SN?

A device's own record of type, length and value: the first byte is its length, the second its type.
By its registered port the datagram is CoAP (RFC 7252, 12.6), and what a dissector has read is not
looked at again. Kin of the guesses by first bytes in emqx-sn and Zephyr.
"""

from hil.peers.coap import codec
from hil.tests.reports.wire import Wire

RECORD = bytes([10, 12]) + b"\x20\0\1\0\1abc"


def test_the_payload_of_a_message_does_not_decide_how_its_port_is_read(analyze):
    wire = Wire()
    for i in range(20):
        wire.now_s = float(i)
        token = bytes([i, 1])
        wire.up(codec.encode(codec.Message(0, 2, i, token, codec.path("s"), RECORD)), 0.03)
        wire.down(codec.encode(codec.Message(2, 0x44, i, token)))
    run = analyze(wire)
    assert (run.header("protocol"), run.metric("messages")) == ("coap", 20)
    assert (run.metric("response_mean_ms"), run.n("response_mean_ms")) == (30, 20)
    assert run.metric("ledger_payload_bytes") == 20 * len(RECORD)
