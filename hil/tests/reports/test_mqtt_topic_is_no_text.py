"""Is a PUBLISH refused whose topic is no text?

Reports: mosquitto #693, #2168, mqtt-packet #59, hbmqtt #29, emqx #17159.
Rules: MQTT 3.1.1 [MQTT-1.5.3-1] (UTF-8 without surrogates), [MQTT-1.5.3-2] (no U+0000),
[MQTT-3.3.2-2] (no wildcards): the connection MUST be closed.
"""

from __future__ import annotations

import pytest

from hil.peers.mqtt import codec
from hil.tests.reports import streams

NO_TEXT = [b"t\0a", b"\0", b"\xc3\x28", b"t\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xed\xbf\xbf"]
NO_TEXT += [b"\xf4\x90\x80\x80", b"\xff", b"\x80", b"t/+", b"#"]
TEXT = ["ümläut/🌡", "sep\x1fend", "\ufeffbom", "\uffff", "a b", "\U0010ffff"]


@pytest.mark.parametrize("topic", NO_TEXT)
@pytest.mark.parametrize("qos", [0, 1, 2])
def test_device_closes(engine, topic: bytes, qos: int) -> None:
    device = streams.mqtt_subscriber(engine)
    device.feed(streams.mqtt_publish(topic, qos=qos))
    assert streams.reasons(device) == ["malformed_packet"]
    assert not streams.received(device) and not device.sent()


@pytest.mark.parametrize("topic", TEXT)
def test_device_takes(engine, topic: str) -> None:
    device = streams.mqtt_subscriber(engine)
    for byte in streams.mqtt_publish(topic.encode()):
        device.feed(bytes([byte]))
    assert streams.received(device) == [b"x"]


@pytest.mark.parametrize("topic", NO_TEXT)
def test_codec_of_servers_refuses(topic: bytes) -> None:
    (packet,) = codec.Stream().feed(streams.mqtt_publish(topic))
    with pytest.raises(codec.Malformed):
        codec.parse_publish(packet)


@pytest.mark.parametrize("topic", TEXT)
def test_codec_of_servers_takes(topic: str) -> None:
    (packet,) = codec.Stream().feed(streams.mqtt_publish(topic.encode()))
    assert codec.parse_publish(packet).topic.decode() == topic
