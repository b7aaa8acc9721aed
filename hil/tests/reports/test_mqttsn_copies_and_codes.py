"""Do device and gateway take copies, return codes and unasked messages of the other side?

Reports: paho.mqtt-sn.embedded-c #37 (PINGREQ of a gateway), #38 and emqx-sn #67 (CONNECT twice),
#163 (a message identifier at QoS 0), wolfMQTT #274 (return code of a PUBACK).
Rules: MQTT-SN 1.2, sections 5.4.12, 5.4.13, 6.2, 6.5, 6.6, 6.11 and 6.13.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.peers.mqttsn import codec as sn
from hil.tests.reports.driver import Device
from hil.tests.support.mqttsn_bench import Bench, run


def sent(device: Device) -> list[sn.Packet]:
    return [sn.decode(piece.data) for piece in device.sent()]


def feed(device: Device, *packets: sn.Packet) -> None:
    for packet in packets:
        device.feed(sn.encode(packet))


def joined(engine, words: str) -> Device:
    device = engine(f"proto=mqttsn topic=ab topic_type=short retry_ms=1000 {words}")
    device.open()
    device.sent()
    feed(device, sn.ConnAck(sn.ACCEPTED))
    return device


def test_gateway_asks_whether_the_device_lives(engine) -> None:
    device = joined(engine, "role=publish qos=1")
    feed(device, sn.PingReq(), sn.PingReq())
    assert sent(device) == [sn.PingResp()] * 2


@pytest.mark.parametrize("code", [sn.INVALID_TOPIC_ID, sn.NOT_SUPPORTED, 4, 255])
def test_message_that_is_refused(engine, code: int) -> None:
    device = joined(engine, "role=publish qos=1")
    assert device.publish(1, 5) == "published"
    (message,) = sent(device)
    assert isinstance(message, sn.Publish)
    feed(device, sn.PubAck(message.topic_id, message.msg_id, code))
    assert device.heard("failed") and not device.heard("error")
    assert device.publish(2, 5) == "published"


def test_message_during_congestion(engine) -> None:
    device = joined(engine, "role=publish qos=1 keepalive_s=1000")
    device.publish(1, 5)
    (message,) = sent(device)
    assert isinstance(message, sn.Publish)
    feed(device, sn.PubAck(message.topic_id, message.msg_id, sn.CONGESTION))
    device.wait(299)
    assert not [packet for packet in sent(device) if isinstance(packet, sn.Publish)]
    device.wait(5)
    assert isinstance(sent(device)[-1], sn.Publish)


def test_copies_of_a_registration(engine) -> None:
    device = engine("proto=mqttsn role=subscribe topic=a/+ qos=1")
    device.open()
    device.sent()
    feed(device, sn.ConnAck(sn.ACCEPTED))
    (subscribe,) = sent(device)
    assert isinstance(subscribe, sn.Subscribe)
    feed(device, sn.SubAck(sn.make_flags(1), 0, subscribe.msg_id, sn.ACCEPTED))
    feed(device, *[sn.Register(7, 3, b"a/b")] * 3)
    assert sent(device) == [sn.RegAck(7, 3, sn.ACCEPTED)] * 3
    feed(device, sn.Publish(sn.make_flags(0), 7, 99, b"x"))  # QoS 0 with an identifier
    assert [event.data for event in device.heard("received")] == [b"x"] and not sent(device)


def test_device_that_connects_twice(tmp_path: Path) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"d")
        connect = sn.Connect(sn.CLEAN, sn.PROTOCOL_ID, 60, b"d")
        for _ in range(3):
            assert await device.ask(connect) == sn.ConnAck(sn.ACCEPTED)
        assert await device.ask(sn.PingReq()) == sn.PingResp()

    run(tmp_path, question)
