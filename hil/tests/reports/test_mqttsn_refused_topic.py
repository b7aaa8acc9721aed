"""Does a refused topic end, instead of being registered again at once and for ever?

Reports: paho.mqtt-sn #93, #105, #121, #221.
Rule: MQTT-SN 1.2, sections 5.4.13, 6.6 and 6.10: an invalid topic id is registered again; what is
refused after that is given up.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hil.peers.mqttsn import codec as sn
from hil.tests.support.mqttsn_bench import Bench, run


async def heard(device, refusal) -> list[str]:
    """What a device hears that answers each packet by `refusal`, until a second is silent."""
    names: list[str] = []
    try:
        while len(names) < 100:
            packet = await asyncio.wait_for(device.next(), 1)
            names.append(type(packet).__name__)
            if answer := refusal(packet):
                device.send(answer)
    except TimeoutError:
        pass
    return names


def refuse_publish(packet: sn.Packet) -> sn.Packet | None:
    if isinstance(packet, sn.Register):
        return sn.RegAck(packet.topic_id, packet.msg_id, sn.ACCEPTED)
    if isinstance(packet, sn.Publish):
        return sn.PubAck(packet.topic_id, packet.msg_id, sn.INVALID_TOPIC_ID)
    return None


def refuse_register(packet: sn.Packet) -> sn.Packet | None:
    if isinstance(packet, sn.Register):
        return sn.RegAck(packet.topic_id, packet.msg_id, sn.INVALID_TOPIC_ID)
    return None


@pytest.mark.parametrize("qos", [0, 1, 2])
@pytest.mark.parametrize(
    ("refusal", "each"),
    [(refuse_publish, ["Register", "Publish"]), (refuse_register, ["Register"])],
)
def test_gateway(tmp_path: Path, qos: int, refusal, each: list[str]) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"d")
        await device.ask(sn.Subscribe(sn.make_flags(qos), 1, b"tw/#"))
        for _ in range(3):
            await bench.publish("tw/data", "no", qos)
        names = await heard(device, refusal)
        assert names.count("Publish") == 3 * each.count("Publish")
        assert 1 <= names.count("Register") <= 3  # at QoS 0 messages pass the refusals
        device.send(sn.PingReq())
        assert await device.next() == sn.PingResp()

    run(tmp_path, question)


@pytest.mark.parametrize("qos", [1, 2])
@pytest.mark.parametrize("same_id", [True, False])
def test_device(engine, qos, same_id) -> None:
    device = engine(f"proto=mqttsn role=publish topic=tw/data qos={qos}")
    device.open()
    device.feed(sn.encode(sn.ConnAck(sn.ACCEPTED)))
    device.sent()
    topic_ids = iter([9] * 100 if same_id else range(9, 109))
    packets = []
    device.feed(sn.encode(sn.RegAck(next(topic_ids), 2, sn.ACCEPTED)))
    for seq in (1, 2):
        assert device.publish(seq, 8) == "published"
        while sent := device.sent():
            packet = sn.decode(sent[0].data)
            packets.append(type(packet).__name__)
            assert len(packets) < 100
            if isinstance(packet, sn.Register):
                device.feed(sn.encode(sn.RegAck(next(topic_ids), packet.msg_id, sn.ACCEPTED)))
            else:
                refused = sn.PubAck(packet.topic_id, packet.msg_id, sn.INVALID_TOPIC_ID)
                device.feed(sn.encode(refused))
    assert packets == ["Publish", "Register", "Publish"] * 2
    failed = [(event.seq, event.reason) for event in device.heard("failed")]
    assert failed == [(1, "refused"), (2, "refused")]
