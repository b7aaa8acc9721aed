"""Does a device stay asleep when the gateway answers each copy of its DISCONNECT?

Report: paho.mqtt-sn.embedded-c #169 (an answer that was lost or late when a device fell asleep).
Rule: MQTT-SN 1.2, sections 6.13 and 6.14.
"""

from __future__ import annotations

import pytest

from hil.peers.mqttsn import codec as sn


@pytest.mark.parametrize("copies", [0, 1, 4])
def test_device(engine, copies: int) -> None:
    words = "role=publish topic=ab topic_type=short qos=1 sleep_s=100 retry_ms=1000"
    device = engine(f"proto=mqttsn {words}")
    device.open()
    device.sent()
    device.feed(sn.encode(sn.ConnAck(sn.ACCEPTED)))
    device.wait(1.2 + copies)
    asked = [sn.decode(sent.data) for sent in device.sent()]
    assert asked == [sn.Disconnect((100).to_bytes(2))] * (1 + copies)
    for _ in asked:
        device.feed(sn.encode(sn.Disconnect()))
    assert not device.heard("error")
    device.feed(sn.encode(sn.Disconnect()))
    assert device.heard("error")[0].reason == "disconnected_by_gateway"
