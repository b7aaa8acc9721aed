"""Does a subscriber with a wildcard get what the gateway registers for it?

Reports: paho.mqtt-sn #93, #105, #121, #221; emqx #15982. With QoS 1 the device and the gateway
exchanged 20,877 REGISTER and PUBLISH in 4.5 s for one message.
Rule: MQTT-SN 1.2, sections 6.9 and 6.10: the gateway names the topic by REGISTER; MQTT 3.1.1, 4.7.
"""

from __future__ import annotations

import asyncio
import collections
from pathlib import Path

import pytest

from hil.peers.mqttsn import codec as sn
from hil.tests.support import peers
from hil.tests.support.mqttsn_bench import Bench, run

MATCHES = [
    ("tw/#", "tw/data", True),
    ("tw/#", "tw", True),
    ("tw/#", "tw/", True),
    ("tw/#", "twx", False),
    ("tw/+", "tw/data", True),
    ("tw/+", "tw/", True),
    ("tw/+", "tw/a/b", False),
    ("+/data", "tw/data", True),
    ("+/data", "/data", True),
    ("+", "/data", False),
    ("+/+", "/data", True),
    ("#", "a/b/c", True),
    ("#", "$SYS/a", False),
    ("+/a", "$SYS/a", False),
    ("$SYS/#", "$SYS/a", True),
    ("tw/data", "tw/data", True),
    ("tw/data", "tw/dat", False),
    ("tw/data", "tw/dataset", False),
]


def subscriber(engine, topic: str, qos: int):
    """A device whose subscription was accepted under no id."""
    device = engine(f"proto=mqttsn role=subscribe topic={topic} qos={qos}")
    device.open()
    device.feed(sn.encode(sn.ConnAck(sn.ACCEPTED)))
    request = sn.decode(device.sent()[-1].data)
    assert isinstance(request, sn.Subscribe)
    device.feed(sn.encode(sn.SubAck(sn.make_flags(qos), 0, request.msg_id, sn.ACCEPTED)))
    return device


@pytest.mark.parametrize(("topic", "name", "right"), MATCHES)
def test_registered_name(engine, topic, name, right) -> None:
    device = subscriber(engine, topic, 1)
    device.feed(sn.encode(sn.Register(7, 1, name.encode())))
    assert sn.decode(device.sent()[-1].data).code == (sn.ACCEPTED if right else sn.NOT_SUPPORTED)
    device.feed(sn.encode(sn.Publish(sn.make_flags(1), 7, 2, b"hi")))
    code = sn.ACCEPTED if right else sn.INVALID_TOPIC_ID
    assert sn.decode(device.sent()[-1].data) == sn.PubAck(7, 2, code)
    assert [event.data for event in device.heard("received")] == [b"hi"] * right


@pytest.mark.parametrize(
    ("topic", "name", "right"), [("#", "ab", True), ("+/#", "ab", True), ("a/#", "ab", False)]
)
def test_short_name(engine, topic, name, right) -> None:
    device = subscriber(engine, topic, 0)
    topic_id = int.from_bytes(name.encode(), "big")
    device.feed(sn.encode(sn.Publish(sn.make_flags(0, sn.TOPIC_SHORT), topic_id, 0, b"hi")))
    assert len(device.heard("received")) == right


def test_many_names_out_of_order(engine) -> None:
    """More ids than the device remembers: those that it forgot are refused, and come again."""
    device = subscriber(engine, "tw/#", 0)
    topic_ids = [17 * n * n % 65521 for n in range(1, 100)]
    for topic_id in topic_ids:
        device.feed(sn.encode(sn.Register(topic_id, topic_id, b"tw/%d" % topic_id)))
        device.sent()
        device.feed(sn.encode(sn.Publish(0, topic_id, 0, b"hi")))
    assert len(device.heard("received")) == 99
    device.feed(sn.encode(sn.Publish(0, topic_ids[0], 0, b"forgotten")))
    refusal = sn.PubAck(topic_ids[0], 0, sn.INVALID_TOPIC_ID)
    assert sn.decode(device.sent()[-1].data) == refusal


@pytest.mark.parametrize("qos", [0, 1, 2])
def test_through_the_gateway(tmp_path: Path, qos: int) -> None:
    said, seen = [], collections.Counter[str]()

    async def question(bench: Bench) -> None:
        send = bench.gateway.send
        bench.gateway.send = lambda packet, to: (  # type: ignore[method-assign]
            seen.update([type(packet).__name__]),
            send(packet, to),
        )[1]
        run_of_device = asyncio.create_task(
            peers.device(
                proto="mqttsn",
                role="subscribe",
                port=bench.port,
                topic="tw/#",
                qos=qos,
                messages=5,
                duration_ms=3000,
            )
        )
        await asyncio.sleep(0.4)
        for number in range(5):
            await bench.publish("tw/data", f"p1:{number}....", qos)
        said.extend(await run_of_device)

    run(tmp_path, question)
    assert [line["seq"] for line in said if line["ev"] == "received"] == list(range(5))
    assert (seen["Register"], seen["Publish"]) == (1, 5)
