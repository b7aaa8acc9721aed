"""Is a new connection recognised where port and initial sequence number come again?

A device without a clock or a random number begins like this after each boot: ESPAsyncTCP #108,
esp8266/Arduino #632 and #5906, GPRS_C_SDK #380, EthernetENC #56. The handshake tells them apart
(RFC 9293, 3.5).
"""

import pytest

from hil.tests.reports import mqtt
from hil.tests.reports.wire import Wire
from hil.tests.support import frames


@pytest.mark.parametrize("size", [50, 4000])
def test_a_rebooted_device_has_new_conversations(analyze, size):
    wire = Wire()
    for boot in range(3):
        wire.now_s = 100.0 * boot
        session = mqtt.connect(wire, own=49153, sequences=(6509, 1_000_000 * (boot + 1)))
        for number in range(1, 6):
            mqtt.publish(session, number, size)
    session.close()
    run = analyze(wire)
    assert (run.metric("messages"), run.n("request_ack_mean_ms")) == (15, 15)
    assert (run.metric("conversations"), run.metric("device_crashes")) == (3, 2)
    assert (run.metric("retransmissions"), run.warnings) == (0, [])
    assert run.metric("ledger_payload_bytes") == 15 * size


def test_a_syn_that_is_sent_again_begins_nothing(analyze):
    wire = Wire()
    for _ in range(2):
        wire.connect(mqtt.PORT, handshake=False).segment(True, flags=frames.SYN, acknowledged=0)
        wire.now_s += 1
    mqtt.publish(mqtt.connect(wire), 1)
    run = analyze(wire)
    assert (run.metric("conversations"), run.metric("retransmissions")) == (1, 2)
