"""Is a session of MQTT recognised whose beginning the capture lacks, on a port of its own?

tshark knows MQTT by its port only, and shows data elsewhere (MQTTnet #536, port 1884).
"""

import pytest

from hil.peers.mqtt import codec
from hil.tests.reports.wire import Wire


@pytest.mark.parametrize("topic", ["home/room_o/t?", "temp", "bereich/küche", "温度/一"])
def test_topics_of_any_text_are_recognised(analyze, topic: str):
    wire = Wire()
    connection = wire.connect(1999, handshake=False)
    for number in range(1, 6):
        connection.up(codec.publish(codec.Message(topic.encode(), b"x" * 50, 1, number)))
        connection.down(codec.acknowledge(codec.PUBACK, number), 0.005)
        connection.acknowledge(True)
    run = analyze(wire, "--topic", topic)
    assert (run.header("protocol"), run.metric("messages")) == ("mqtt", 5)
    assert run.metric("ledger_payload_bytes") == 250
