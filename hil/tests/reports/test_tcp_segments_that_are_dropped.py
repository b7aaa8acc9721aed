"""Is a segment that its receiver drops kept out of the counts?

An acknowledgement answers an old SYN in an open connection (RFC 5961, 4; gvisor #1132, zephyr
#48465), and data outside the window (RFC 9293, 3.10.7.4). zeek #3313 counts by such numbers.
"""

import pytest

from hil.peers.mqtt import codec
from hil.tests.reports import mqtt
from hil.tests.reports.wire import Wire
from hil.tests.support import frames


def messages_around(drop, size: int = 50) -> Wire:
    """A session of six messages, and what `drop` does with it after the third one."""
    wire = Wire()
    session = mqtt.connect(wire)
    for number in range(1, 7):
        mqtt.publish(session, number, size)
        if number == 3:
            drop(session)
    session.close()
    return wire


def expect_a_clean_session(run) -> None:
    assert (run.metric("messages"), run.n("request_ack_mean_ms")) == (6, 6)
    assert (run.metric("conversations"), run.metric("device_crashes")) == (1, 0)
    assert (run.warnings, run.metric("unseen_segments")) == ([], 0)
    assert run.metric("retransmissions") == 0
    assert run.metric("ledger_header_bytes") == 6 * 9


@pytest.mark.parametrize("sequence", [777, 1000, 3_000_000_000])
def test_an_old_syn_begins_nothing(analyze, sequence: int):
    def drop(session):
        session.segment(True, flags=frames.SYN, sequence=sequence, acknowledged=0)
        session.acknowledge(False)

    expect_a_clean_session(analyze(messages_around(drop)))


def test_an_old_syn_within_a_message(analyze):
    """The rest of a message in two segments belongs to it."""

    def drop(session):
        data = mqtt.message(9, 100)
        session.segment(True, data[:60])
        session.segment(True, flags=frames.SYN, sequence=777, acknowledged=0)
        session.acknowledge(False)
        session.segment(True, data[60:])
        session.down(codec.acknowledge(codec.PUBACK, 9))
        session.acknowledge(True)

    run = analyze(messages_around(drop))
    assert (run.metric("messages"), run.metric("conversations"), run.warnings) == (7, 1, [])
    assert run.metric("ledger_payload_bytes") == 6 * 50 + 100


def test_a_syn_after_a_crash_begins_a_conversation(analyze):
    """The device does not know the connection that its SYN meets, and resets it (RFC 9293, 3.5)."""
    wire = Wire()
    old = mqtt.connect(wire)
    for number in range(1, 4):
        mqtt.publish(old, number)
    wire.now_s = 100.0
    old.segment(True, flags=frames.SYN, sequence=777, acknowledged=0)
    old.acknowledge(False)
    old.segment(True, flags=frames.RST, acknowledged=0)
    session = mqtt.connect(wire, sequences=(777, 9000))
    for number in range(1, 4):
        mqtt.publish(session, number)
    session.close()
    run = analyze(wire)
    assert (run.metric("messages"), run.metric("device_crashes")) == (6, 1)
    assert run.metric("conversations") == 2


@pytest.mark.parametrize("far", [500_000, -500_000])
def test_data_outside_the_window_is_of_the_session(analyze, far: int):
    def drop(session):
        session.segment(True, b"y" * 20, sequence=session.next[True] + far)
        session.acknowledge(False)

    run = analyze(messages_around(drop))
    if far < 0:  # old data: a retransmission
        assert (run.metric("messages"), run.metric("retransmissions")) == (6, 1)
        assert run.metric("ledger_header_bytes") == 6 * 9
    else:
        expect_a_clean_session(run)


def test_a_segment_that_the_capture_lacks_is_named(analyze):
    """What follows it is no data outside the window: it is acknowledged."""

    def drop(session):
        session.next[True] += 30

    run = analyze(messages_around(drop))
    assert run.metric("unseen_segments") > 0


def test_a_simultaneous_open(analyze):
    """Both sides send a SYN, and again one that acknowledges (RFC 9293, 3.5, figure 7)."""
    wire = Wire()
    session = wire.connect(mqtt.PORT, handshake=False)
    for from_device in (True, False):
        session.segment(from_device, flags=frames.SYN, acknowledged=0)
    for from_device in (True, False):
        start = session.next[from_device] - 1
        session.segment(from_device, flags=frames.SYN | frames.ACK, sequence=start)
    session.up(codec.connect(b"dev", 60, True))
    session.down(bytes([codec.CONNACK << 4, 2, 0, 0]))
    session.acknowledge(True)
    for number in range(1, 7):
        mqtt.publish(session, number)
    session.close()
    expect_a_clean_session(analyze(wire))


def test_half_a_connection_goes_on(analyze):
    """The broker answers behind the device's FIN (RFC 9293, 3.6)."""
    wire = Wire()
    session = mqtt.connect(wire)
    for number in range(1, 7):
        session.up(mqtt.message(number))
    session.segment(True, flags=frames.FIN | frames.ACK)
    for number in range(1, 7):
        session.down(codec.acknowledge(codec.PUBACK, number))
        session.acknowledge(True)
    session.segment(False, flags=frames.FIN | frames.ACK)
    session.acknowledge(True)
    expect_a_clean_session(analyze(wire))
