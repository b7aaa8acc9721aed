"""How many QoS 2 messages may be open whose identifiers have gaps?

Reports: vernemq #1312, mosquitto #57: a broker that sends QoS 1 and 2 alternately to one session
has every second identifier open (mosquitto: 20 in flight, or 100; HiveMQ 1000).
Rule: MQTT 3.1.1, section 4.3.3, which knows no limit. The device holds any pattern within a window
of 512 identifiers, and more of a regular one (firmware/core/util/id_set.h).
"""

from __future__ import annotations

import random

import pytest

from hil.tests.reports import streams

PATTERNS = {
    "every second": range(2, 2002, 2),
    "every third": range(3, 480, 3),
    "all": range(1, 1001),
    "any of 500": sorted(random.Random(1).sample(range(1, 501), 250)),
    "around the end": [*range(65_001, 65_536, 2), *range(1, 400, 2)],
}


@pytest.mark.parametrize("clean", [0, 1])
@pytest.mark.parametrize("identifiers", PATTERNS.values(), ids=PATTERNS)
def test_open(engine, identifiers, clean: int) -> None:
    device = streams.mqtt_subscriber(engine, f"qos=2 clean={clean}")
    for packet_id in identifiers:
        device.feed(streams.mqtt_publish(b"t", b"x", 2, packet_id))
        device.sent()
    if not clean:
        device.close()
        device.open()
        device.feed(streams.RESUMED)
    for packet_id in identifiers:  # again, and then released
        number = packet_id.to_bytes(2, "big")
        device.feed(streams.mqtt_publish(b"t", b"x", 2, packet_id))
        device.sent()
        device.feed(b"\x62\2" + number)
        assert streams.sent(device) == b"\x70\2" + number
    assert len(streams.received(device)) == len(identifiers)
    assert not device.heard("error")
