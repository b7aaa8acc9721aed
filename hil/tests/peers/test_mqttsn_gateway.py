"""Does the MQTT-SN gateway work between devices and a real mosquitto?"""

from __future__ import annotations

import asyncio
from pathlib import Path

from hil.peers.mqttsn import codec as sn
from hil.peers.mqttsn.outbox import Limits
from hil.tests.support import peers
from hil.tests.support.mqttsn_bench import Bench, run


def test_every_qos_reaches_the_broker(tmp_path: Path) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"b1")
        assert await device.ask(sn.Register(0, 1, b"tw/x")) == sn.RegAck(1, 1, 0)
        async with bench.subscriber(4) as lines:
            stranger = await bench.device()
            stranger.send(sn.Publish(sn.make_flags(-1, sn.TOPIC_PREDEFINED), 1, 0, b"minus one"))
            await asyncio.sleep(0.1)
            device.send(sn.Publish(sn.make_flags(0, sn.TOPIC_SHORT), 0x6162, 0, b"zero"))
            assert await device.ask(sn.Publish(sn.make_flags(1), 1, 2, b"one")) == sn.PubAck(
                1, 2, 0
            )
            assert await device.ask(sn.Publish(sn.make_flags(2), 1, 3, b"two")) == sn.PubRec(3)
            assert await device.ask(sn.PubRel(3)) == sn.PubComp(3)
        assert lines == ["tw/data 0 minus one", "ab 0 zero", "tw/x 1 one", "tw/x 2 two"]

    run(tmp_path, question)


def test_repeated_qos_2_publish_arrives_once(tmp_path: Path) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"b1")
        async with bench.subscriber(2) as lines:
            for dup in (False, True):
                flags = sn.make_flags(2, sn.TOPIC_PREDEFINED, dup=dup)
                assert await device.ask(sn.Publish(flags, 1, 3, b"two")) == sn.PubRec(3)
            assert await device.ask(sn.PubRel(3)) == sn.PubComp(3)
            assert await device.ask(sn.PubRel(3)) == sn.PubComp(3)
            await bench.publish("end", "end", 0)
        assert sorted(lines) == ["end 0 end", "tw/data 2 two"]

    run(tmp_path, question)


def test_subscriber_gets_every_qos_and_new_topics_are_registered(tmp_path: Path) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"b1")
        suback = await device.ask(sn.Subscribe(sn.make_flags(2), 1, b"a/#"))
        assert suback == sn.SubAck(sn.make_flags(2), 0, 1, 0)
        await bench.publish("a/b", "zero", 0)
        assert await device.next() == sn.Register(1, 1, b"a/b")
        assert await device.ask(sn.RegAck(1, 1, 0)) == sn.Publish(0, 1, 0, b"zero")
        await bench.publish("a/b", "one", 1)
        one = await device.next()
        assert isinstance(one, sn.Publish)
        assert (one.topic_id, one.data, sn.qos_of(one.flags)) == (1, b"one", 1)
        device.send(sn.PubAck(1, one.msg_id, 0))
        await bench.publish("a/b", "two", 2)
        two = await device.next()
        assert isinstance(two, sn.Publish) and two.data == b"two"
        assert await device.ask(sn.PubRec(two.msg_id)) == sn.PubRel(two.msg_id)
        device.send(sn.PubComp(two.msg_id))

    run(tmp_path, question)


def test_unacknowledged_message_comes_again_with_dup(tmp_path: Path) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"b1")
        await device.ask(sn.Subscribe(sn.make_flags(1, sn.TOPIC_PREDEFINED), 1, b"\0\1"))
        await bench.publish("tw/data", "x", 1)
        first, again = await device.next(), await device.next()
        assert isinstance(first, sn.Publish) and isinstance(again, sn.Publish)
        assert not first.flags & sn.DUP and again.flags & sn.DUP
        assert first.msg_id == again.msg_id
        rest = [await device.next() for _ in range(3)]
        assert rest == [sn.PingReq(), sn.PingReq(), sn.Disconnect()]

    run(tmp_path, question, Limits(retry_s=0.2, retries=1))


def test_sleeping_client_may_wake_at_another_port(tmp_path: Path) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"b1")
        await device.ask(sn.Subscribe(sn.make_flags(0, sn.TOPIC_PREDEFINED), 1, b"\0\1"))
        assert await device.ask(sn.Disconnect(b"\0\x3c")) == sn.Disconnect()
        await bench.publish("tw/data", "while asleep", 0)
        await asyncio.sleep(0.1)
        device.close()
        awake = await bench.device()
        message = await awake.ask(sn.PingReq(b"b1"))
        assert message == sn.Publish(sn.TOPIC_PREDEFINED, 1, 0, b"while asleep")
        assert await awake.next() == sn.PingResp()

    run(tmp_path, question)


def test_will_of_a_silent_client_is_published(tmp_path: Path) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.device()
        connect = sn.Connect(sn.WILL | sn.CLEAN, 1, 1, b"b1")
        assert await device.ask(connect) == sn.WillTopicReq()
        assert await device.ask(sn.WillTopic(b"\0gone")) == sn.WillMsgReq()
        assert await device.ask(sn.WillMsg(b"bye")) == sn.ConnAck(0)
        async with bench.subscriber(1) as lines:
            assert await device.next() == sn.Disconnect()
        assert lines == ["gone 0 bye"]

    run(tmp_path, question)


def test_search_is_answered_and_noise_is_not(tmp_path: Path) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.device()
        for noise in (b"\0", b"\x09\x0c", b"\x01\xff\xff", b"GET / HTTP/1.1\r\n\r\n"):
            device.raw(noise)
        assert await device.ask(sn.SearchGw(0)) == sn.GwInfo(1)
        assert bench.gateway.malformed == 4

    run(tmp_path, question)


def test_new_clean_session_replaces_the_old_one(tmp_path: Path) -> None:
    async def question(bench: Bench) -> None:
        await bench.joined(b"b1")
        device = await bench.joined(b"b1")
        assert await device.ask(sn.PingReq()) == sn.PingResp()

    run(tmp_path, question)


def test_lost_broker_ends_the_session(tmp_path: Path) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"b1")
        # The same client id straight at the broker: the broker throws the gateway's client out.
        await peers.output(*peers.client("mosquitto_pub", bench.broker, "-i b1 -t x -m x"))
        assert await device.next() == sn.Disconnect()

    run(tmp_path, question)
