"""Does a gateway refuse by itself what a broker would answer by closing the connection?

Reports: emqx-sn, paho.mqtt-sn #93 (clients that register a filter, or use message id 0).
Rules: MQTT 3.1.1, sections 1.5.3, 2.3.1, 4.7.1; the session, and those of others, go on.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.peers.mqttsn import codec as sn
from hil.tests.support.mqttsn_bench import Bench, run

SHORT = int.from_bytes(b"a#", "big")
NAMES = [b"x/#", b"+", b"a+b", b"", b"a\0b", b"\xff\xfe"]
FILTERS = [b"a/#/b", b"a#", b"a+/b", b"", b"a\0", b"\xc3"]


@pytest.mark.parametrize(
    ("packet", "answer"),
    [
        *((sn.Register(0, 1, name), sn.RegAck(0, 1, sn.NOT_SUPPORTED)) for name in NAMES),
        *(
            (sn.Subscribe(sn.make_flags(1), 1, name), sn.SubAck(0, 0, 1, sn.INVALID_TOPIC_ID))
            for name in FILTERS
        ),
        *((sn.Unsubscribe(0, 1, name), sn.UnsubAck(1)) for name in FILTERS),
        (sn.Publish(sn.make_flags(1, 1), 1, 0, b"x"), sn.PubAck(1, 0, sn.NOT_SUPPORTED)),
        (sn.Publish(sn.make_flags(2, 1), 1, 0, b"x"), sn.PubAck(1, 0, sn.NOT_SUPPORTED)),
        (
            sn.Publish(sn.make_flags(1, sn.TOPIC_SHORT), SHORT, 2, b"x"),
            sn.PubAck(SHORT, 2, sn.INVALID_TOPIC_ID),
        ),
        (sn.Subscribe(sn.make_flags(1), 0, b"tw/x"), sn.SubAck(0, 2, 0, sn.NOT_SUPPORTED)),
        (sn.PubRel(0), None),
    ],
)
def test_client(tmp_path: Path, packet: sn.Packet, answer: sn.Packet | None) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"d")
        await device.ask(sn.Register(0, 1, b"other"))
        device.send(packet)
        if answer:
            assert await device.next() == answer
        own = sn.Publish(sn.make_flags(1, sn.TOPIC_PREDEFINED), 1, 9, b"after")
        assert await device.ask(own) == sn.PubAck(1, 9, sn.ACCEPTED)

    run(tmp_path, question)


def test_stranger_at_qos_minus_one(tmp_path: Path) -> None:
    """The connection to the broker is the gateway's own, and serves all strangers."""

    async def question(bench: Bench) -> None:
        device = await bench.device()
        async with bench.subscriber(1) as arrived:
            for name in (b"a#", b"\xff\xff", b"ab"):
                flags = sn.make_flags(-1, sn.TOPIC_SHORT)
                device.send(sn.Publish(flags, int.from_bytes(name, "big"), 0, b"hi"))
        assert arrived == ["ab 0 hi"]

    run(tmp_path, question)


@pytest.mark.parametrize("name", [b"will/#", b"\xff\xff"])
def test_will(tmp_path: Path, name: bytes) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.device()
        assert await device.ask(sn.Connect(sn.CLEAN | sn.WILL, 1, 60, b"d")) == sn.WillTopicReq()
        assert await device.ask(sn.WillTopic(b"\0" + name)) == sn.ConnAck(sn.NOT_SUPPORTED)

    run(tmp_path, question)


def test_the_session_of_another(tmp_path: Path) -> None:
    """A PINGREQ with a client's id wakes a sleeping client; it takes no session that is awake."""

    async def question(bench: Bench) -> None:
        owner = await bench.joined(b"d")
        await owner.ask(sn.Subscribe(sn.make_flags(0), 1, b"tw/x"))
        stranger = await bench.device()
        assert await stranger.ask(sn.PingReq(b"d")) == sn.Disconnect()
        await bench.publish("tw/x", "mine", 0)
        packet = await owner.next()
        assert isinstance(packet, sn.Publish) and packet.data == b"mine"

    run(tmp_path, question)
