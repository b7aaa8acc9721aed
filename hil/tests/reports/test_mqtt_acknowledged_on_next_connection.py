"""Does an acknowledgement on the next connection belong to the message of the last one?

A client that keeps its session sends its unacknowledged messages again with their identifiers when
it comes back (MQTT 3.1.1, 4.4), at QoS 1 and 2. A clean session begins without them.
"""

import pytest

from hil.peers.mqtt import codec
from hil.tests.reports import mqtt
from hil.tests.reports.wire import Wire

REPLIES = {1: codec.PUBACK, 2: codec.PUBREC}


@pytest.mark.parametrize("qos", [1, 2])
@pytest.mark.parametrize("own", [50000, 50001])
def test_a_kept_session_acknowledges_later(analyze, qos, own):
    wire = Wire()
    first = mqtt.connect(wire, clean=False)
    mqtt.publish(first, 1)
    first.up(mqtt.message(2, qos=qos))
    wire.now_s = 10.0
    later = mqtt.connect(wire, clean=False, present=True, own=own, sequences=(77000, 88000))
    later.up(mqtt.message(2, qos=qos, dup=True))
    later.down(codec.acknowledge(REPLIES[qos], 2))
    later.acknowledge(True)
    later.close()
    run = analyze(wire)
    assert (run.metric("messages"), run.metric("messages_repeated")) == (2, 1)
    assert run.n("request_ack_mean_ms") == 2
    assert 9000 < run.metric("request_ack_max_ms") < 11000
    assert (run.metric("network_loss_pct"), run.metric("messages_reached")) == (0, 2)


def test_a_clean_session_acknowledges_nothing_of_the_last_one(analyze):
    wire = Wire()
    first = mqtt.connect(wire)
    mqtt.publish(first, 1)
    first.up(mqtt.message(2))
    wire.now_s = 10.0
    later = mqtt.connect(wire, own=50001)
    later.down(codec.acknowledge(codec.PUBACK, 2))
    mqtt.publish(later, 1)
    later.close()
    run = analyze(wire)
    assert (run.metric("messages"), run.n("request_ack_mean_ms")) == (3, 2)
    assert run.metric("messages_reached") == 2


def test_another_client_of_the_same_address_has_a_session_of_its_own(analyze):
    wire = Wire()
    first = mqtt.connect(wire, b"one", clean=False)
    first.up(mqtt.message(2))
    other = mqtt.connect(wire, b"two", clean=False, own=50001)
    other.down(codec.acknowledge(codec.PUBACK, 2))
    mqtt.publish(other, 3)
    assert analyze(wire).n("request_ack_mean_ms") == 1
