"""Does a device notice a peer that has gone silent, however short its keep-alive is?

Reports: MQTT.js #1861 (a check that each packet moved), paho.mqtt.embedded-c #4 (a dead connection
under keep-alive), dart_amqp #106 (heartbeats that nobody missed).
Rules: MQTT 3.1.1, section 3.1.2.10; RFC 6455, section 5.5.3; AMQP 0-9-1, section 4.2.7.
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams

KEEP_ALIVES = (1, 2, 5, 10, 13, 60)


@pytest.mark.parametrize("keepalive_s", KEEP_ALIVES)
def test_mqtt(engine, keepalive_s: int) -> None:
    device = streams.mqtt_subscriber(engine, f"keepalive_s={keepalive_s} qos=0")
    device.wait(keepalive_s + 11)
    assert streams.reasons(device) == ["no_pingresp"]


@pytest.mark.parametrize("keepalive_s", KEEP_ALIVES)
def test_websocket(engine, keepalive_s: int) -> None:
    device = streams.websocket(engine, f"role=subscribe keepalive_s={keepalive_s}")
    device.wait(keepalive_s + 11)
    assert streams.reasons(device) == ["no_pong"]


@pytest.mark.parametrize("keepalive_s", KEEP_ALIVES)
def test_amqp(engine, keepalive_s: int) -> None:
    device = streams.amqp_device(engine, f"keepalive_s={keepalive_s}")
    device.wait(2 * keepalive_s + 1)
    assert streams.reasons(device) == ["no_heartbeat"]
