"""Does any order of packets and events break the gateway's state machine?"""

from __future__ import annotations

import contextlib
import random

from hil.peers.mqtt import codec as mqtt
from hil.peers.mqttsn import codec as sn
from hil.peers.mqttsn import effects as effect
from hil.peers.mqttsn.effects import State
from hil.tests.peers.test_mqttsn_client import CONNACK, Bench


def _any_packet(source: random.Random) -> sn.Packet:
    """A well-formed packet with few different numbers, so that some of them match."""
    number = source.randrange
    flags = sn.make_flags(number(-1, 3), number(4), dup=bool(number(2)), clean=not number(3))
    topic = source.choice([b"abc", b"a/#", b"\0\1", b"ab", b""])
    return source.choice(
        [
            sn.Connect(flags | sn.WILL * (not number(4)), 1 + (not number(9)), number(3), b"b1"),
            sn.WillTopic(source.choice([b"", b"\0", b"\x20gone"])),
            sn.WillMsg(b"bye"),
            sn.Register(0, number(4), topic),
            sn.RegAck(number(4), number(4), number(4)),
            sn.Publish(flags, number(4), number(4), b"x"),
            sn.PubAck(number(4), number(4), number(4)),
            sn.PubRec(number(4)),
            sn.PubRel(number(4)),
            sn.PubComp(number(4)),
            sn.Subscribe(flags, number(4), topic),
            sn.Unsubscribe(flags, number(4), topic),
            sn.PingReq(source.choice([b"", b"b1"])),
            sn.PingResp(),
            sn.WillMsgUpd(b"x"),
            sn.Disconnect(source.choice([b"", b"\0\1"])),
            sn.SubAck(0, 1, 1, 0),
            sn.Advertise(1, 1),
        ]
    )


def _any_broker_packet(source: random.Random) -> mqtt.Packet:
    kind = source.randrange(16)
    body = source.choice([b"", b"\0", b"\0\0", b"\0\1", b"\0\1\1", b"\0\3abc\0\2x", b"\0\3abcx"])
    return mqtt.Packet(kind, source.randrange(16), body)


def test_no_order_of_events_breaks_the_client() -> None:
    """Whatever comes when: effects can be sent, and only the broker's errors are raised."""
    source = random.Random(1)
    joined = 0
    for _ in range(200):
        bench = Bench()
        for _ in range(200):
            event = source.randrange(20)
            if event == 0:
                bench.client.on_broker_closed("broker_gone")
            elif event == 1:
                bench.at(bench.now + source.uniform(0, 12))
            elif event < 4:
                bench.client.on_broker_open()
                bench.broker(CONNACK)
            elif event < 10:
                with contextlib.suppress(mqtt.Malformed):
                    bench.client.on_broker_packet(_any_broker_packet(source), bench.now)
            else:
                bench.client.on_packet(_any_packet(source), bench.now)
            joined += bench.client.state is State.ACTIVE
            for what in bench.take():
                if isinstance(what, effect.ToDevice):
                    assert sn.decode(sn.encode(what.packet)) == what.packet
                elif isinstance(what, effect.ToBroker):
                    assert len(mqtt.Stream().feed(what.data)) == 1
            due = bench.client.deadline()
            assert due is None or due > bench.now - 12
    assert joined > 3_000
