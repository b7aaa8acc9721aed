"""Does a session go on when a message fits no datagram, no length of MQTT-SN or no device?

Reports: paho.mqtt-sn #23, #141; emqx #16008; arduino-mqtt #19.
Rules: MQTT-SN 1.2, section 5.2.1 (65535 bytes at most); UDP over IPv4 carries 65507.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.peers.mqttsn import codec as sn
from hil.peers.mqttsn.outbox import Limits
from hil.tests.support import peers
from hil.tests.support.mqttsn_bench import Bench, run


async def publish(bench: Bench, topic: str, qos: int, *texts: bytes) -> None:
    for text in texts:
        words = ["-q", str(qos), "-t", topic, "-s"]
        await peers.output(*peers.client("mosquitto_pub", bench.broker, ""), *words, text=text)


@pytest.mark.parametrize("qos", [0, 1, 2])
@pytest.mark.parametrize("size", [65498, 65499, 65526, 65527, 200_000])
def test_publish(tmp_path: Path, qos: int, size: int) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"d")
        await device.ask(sn.Subscribe(sn.make_flags(qos), 1, b"tw/x"))
        await publish(bench, "tw/x", qos, b"before", b"z" * size, b"after")
        sizes = []
        while not sizes or sizes[-1] != 5:
            packet = await device.next()
            if isinstance(packet, sn.Publish):
                sizes.append(len(packet.data))
                if qos:
                    answer = sn.PubAck(packet.topic_id, packet.msg_id, sn.ACCEPTED)
                    device.send(answer if qos == 1 else sn.PubRec(packet.msg_id))
            elif isinstance(packet, sn.PubRel):
                device.send(sn.PubComp(packet.msg_id))
        assert sizes == [6, size, 5] if size == 65498 else [6, 5]

    run(tmp_path, question)


def test_register(tmp_path: Path) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"d")
        await device.ask(sn.Subscribe(sn.make_flags(0), 1, b"#"))
        await publish(bench, "n" * 65510, 0, b"x")
        await publish(bench, "ab", 0, b"after")
        packet = await device.next()
        assert isinstance(packet, sn.Publish) and packet.data == b"after"

    run(tmp_path, question)


@pytest.mark.parametrize(("topic", "size"), [("tw/x", 2000), ("tw/" + "n" * 2000, 1)])
@pytest.mark.parametrize("qos", [1, 2])
def test_longer_than_the_buffer_of_the_device(
    tmp_path: Path, qos: int, topic: str, size: int
) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"d")
        await device.ask(sn.Subscribe(sn.make_flags(qos), 1, b"tw/+"))
        await publish(bench, topic, qos, b"z" * size)
        await publish(bench, "tw/y", qos, b"after")
        while True:
            packet = await device.next()
            if len(sn.encode(packet)) > 1000:
                continue  # the device gets none of this
            if isinstance(packet, sn.Register):
                device.send(sn.RegAck(packet.topic_id, packet.msg_id, sn.ACCEPTED))
            elif isinstance(packet, sn.PingReq):
                device.send(sn.PingResp())
            else:
                break
        assert isinstance(packet, sn.Publish) and packet.data == b"after"

    run(tmp_path, question, Limits(retry_s=0.1, retries=2))


@pytest.mark.parametrize("protocol", ["mqttsn", "udp", "coap"])
def test_device(engine, protocol) -> None:
    device = engine(f"proto={protocol} role=publish topic=ab topic_type=short qos=0")
    device.open()
    device.feed(sn.encode(sn.ConnAck(sn.ACCEPTED)))
    device.sent()
    assert device.publish(1, 16384) == "unsupported"
    assert device.publish(2, 8) == "published"
    assert len(device.sent()) == 1
