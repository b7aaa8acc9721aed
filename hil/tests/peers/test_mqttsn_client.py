"""What does the gateway's state machine do for one client? Packets in, effects out, no sockets."""

from __future__ import annotations

from hil.peers.mqttsn import codec as sn
from hil.peers.mqttsn import effects as effect
from hil.peers.mqttsn.effects import State
from hil.tests.support.mqttsn import CONNACK, RETRIES, RETRY_S, Bench, publish, to_device


def test_connect_opens_a_broker_connection_of_its_own() -> None:
    bench = Bench()
    assert bench.device(sn.Connect(sn.CLEAN, 1, 60, b"b1")) == [effect.OpenBroker()]
    bench.client.on_broker_open()
    connect = bytes.fromhex("10 0e 00 04 4d 51 54 54 04 02 00 00 00 02 62 31")
    assert bench.take() == [effect.ToBroker(connect)]
    assert bench.broker(CONNACK) == [*to_device(sn.ConnAck(0)), effect.Note("connected")]


def test_unknown_protocol_is_refused() -> None:
    assert Bench().device(sn.Connect(0, 2, 60, b"b1")) == to_device(sn.ConnAck(sn.NOT_SUPPORTED))


def test_broker_that_cannot_be_reached_means_congestion() -> None:
    bench = Bench()
    bench.device(sn.Connect(sn.CLEAN, 1, 60, b"b1"))
    bench.client.on_broker_closed("broker_gone")
    assert to_device(sn.ConnAck(sn.CONGESTION))[0] in bench.take()
    assert bench.client.state is State.DISCONNECTED


def test_will_is_asked_for_and_given_to_the_broker() -> None:
    bench = Bench()
    assert bench.device(sn.Connect(sn.WILL | sn.CLEAN, 1, 60, b"b1")) == to_device(
        sn.WillTopicReq()
    )
    assert bench.device(sn.WillTopic(b"\x30gone")) == to_device(sn.WillMsgReq())
    assert bench.device(sn.WillMsg(b"bye")) == [effect.OpenBroker()]
    bench.client.on_broker_open()
    (sent,) = bench.take()
    assert isinstance(sent, effect.ToBroker)
    assert sent.data[9] == 0x2E  # retain, QoS 1, will, clean session
    assert sent.data.endswith(b"\0\4gone\0\3bye")


def test_register_is_repeatable_and_publish_uses_it() -> None:
    bench = Bench().joined()
    for msg_id in (1, 2):
        packet = sn.Register(0, msg_id, b"tw/other")
        assert bench.device(packet) == to_device(sn.RegAck(1, msg_id, 0))
    sent = bench.device(sn.Publish(sn.make_flags(1), 1, 9, b"hi"))
    assert sent == [effect.ToBroker(publish(1, 9, b"hi", b"tw/other"))]
    assert bench.broker(b"\x40\2\0\x09") == to_device(sn.PubAck(1, 9, 0))


def test_qos_2_passes_through_step_by_step() -> None:
    bench = Bench().joined()
    first = bench.device(sn.Publish(sn.make_flags(2, sn.TOPIC_PREDEFINED), 1, 9, b"hi"))
    assert first == [effect.ToBroker(publish(2, 9, b"hi", b"tw/data"))]
    assert bench.broker(b"\x50\2\0\x09") == to_device(sn.PubRec(9))
    assert bench.device(sn.PubRel(9)) == [effect.ToBroker(b"\x62\2\0\x09")]
    assert bench.broker(b"\x70\2\0\x09") == to_device(sn.PubComp(9))


def test_copies_of_a_qos_2_message_do_not_reach_the_broker() -> None:
    bench = Bench().joined()
    original, copy = (
        sn.Publish(sn.make_flags(2, sn.TOPIC_PREDEFINED, dup=dup), 1, 9, b"hi")
        for dup in (False, True)
    )
    bench.device(original)
    assert bench.device(copy) == []  # the broker's PUBREC is on its way
    bench.broker(b"\x50\2\0\x09")
    assert bench.device(copy) == to_device(sn.PubRec(9))  # and was lost
    assert bench.device(sn.PubRel(9)) == [effect.ToBroker(b"\x62\2\0\x09")]
    assert bench.device(copy) == bench.device(sn.PubRel(9)) == []
    bench.broker(b"\x70\2\0\x09")
    assert bench.device(sn.PubRel(9)) == [effect.ToBroker(b"\x62\2\0\x09")]
    assert bench.device(original) == [effect.ToBroker(publish(2, 9, b"hi", b"tw/data"))]


def test_copy_after_a_new_connection_is_for_the_broker_to_judge() -> None:
    bench = Bench().joined(flags=0)
    packet = sn.Publish(sn.make_flags(2, sn.TOPIC_PREDEFINED, dup=True), 1, 9, b"hi")
    bench.device(packet)
    bench.client.on_broker_closed("broker_gone")
    bench.take()
    (sent,) = bench.joined(flags=0).device(packet)
    assert isinstance(sent, effect.ToBroker)
    assert sent.data[0] == 0x3C  # PUBLISH, DUP, QoS 2


def test_repeated_publish_keeps_its_dup_flag_and_identifier() -> None:
    bench = Bench().joined()
    packet = sn.Publish(sn.make_flags(2, sn.TOPIC_SHORT, dup=True), 0x6162, 9, b"hi")
    (sent,) = bench.device(packet)
    assert isinstance(sent, effect.ToBroker)
    assert sent.data == bytes.fromhex("3c 08 00 02 61 62 00 09 68 69")


def test_publish_to_an_unknown_topic_id_is_refused() -> None:
    bench = Bench().joined()
    sent = bench.device(sn.Publish(sn.make_flags(0), 77, 0, b"hi"))
    assert sent == to_device(sn.PubAck(77, 0, sn.INVALID_TOPIC_ID))


def test_stranger_is_told_to_disconnect() -> None:
    assert Bench().device(sn.Register(0, 1, b"t")) == to_device(sn.Disconnect())


def test_message_on_a_subscribed_topic_uses_its_id() -> None:
    bench = Bench().subscribed(1)
    assert bench.broker(publish(1, 5)) == to_device(sn.Publish(sn.make_flags(1), 1, 5, b"x"))
    assert bench.device(sn.PubAck(1, 5, 0)) == [effect.ToBroker(b"\x40\2\0\5")]


def test_refused_subscription_is_reported() -> None:
    bench = Bench().joined()
    bench.device(sn.Subscribe(sn.make_flags(1), 1, b"abc"))
    assert bench.broker(b"\x90\3\0\1\x80") == to_device(sn.SubAck(0, 1, 1, sn.NOT_SUPPORTED))


def test_message_on_a_new_topic_is_registered_first() -> None:
    bench = Bench().joined()
    bench.device(sn.Subscribe(sn.make_flags(0), 1, b"a/#"))
    assert bench.broker(b"\x90\3\0\1\0") == to_device(sn.SubAck(0, 0, 1, 0))
    assert bench.broker(publish(0, 0, topic=b"a/b")) == to_device(sn.Register(1, 1, b"a/b"))
    assert bench.device(sn.RegAck(1, 1, 0)) == to_device(sn.Publish(0, 1, 0, b"x"))


def test_next_message_waits_for_the_acknowledgement() -> None:
    bench = Bench().subscribed(2)
    assert bench.broker(publish(2, 5)) == to_device(sn.Publish(sn.make_flags(2), 1, 5, b"x"))
    assert bench.broker(publish(2, 6)) == []
    assert bench.device(sn.PubRec(5)) == [effect.ToBroker(b"\x50\2\0\5")]
    assert bench.broker(b"\x62\2\0\5") == to_device(sn.PubRel(5))
    assert bench.device(sn.PubRec(5)) == to_device(sn.PubRel(5))  # the first PUBREL was lost
    assert bench.device(sn.PubComp(5)) == [
        effect.ToBroker(b"\x70\2\0\5"),
        *to_device(sn.Publish(sn.make_flags(2), 1, 6, b"x")),
    ]


def test_unanswered_message_is_sent_again_and_then_the_client_is_lost() -> None:
    bench = Bench().subscribed(1)
    bench.broker(publish(1, 5))
    again = to_device(sn.Publish(sn.make_flags(1, dup=True), 1, 5, b"x"))
    for attempt in range(1, RETRIES + 1):
        assert bench.client.deadline() == 100 + RETRY_S * attempt
        assert bench.at(100 + RETRY_S * attempt) == again
    for attempt in range(RETRIES + 1, 2 * RETRIES + 2):
        assert bench.at(100 + RETRY_S * attempt) == to_device(sn.PingReq())
    gone = [effect.CloseBroker(), effect.Note("disconnected", "no_answer")]
    assert bench.at(bench.now + RETRY_S) == [*gone, *to_device(sn.Disconnect())]


def test_client_that_forgot_a_topic_id_gets_it_again() -> None:
    bench = Bench().subscribed(1)
    bench.broker(publish(1, 5))
    refused = sn.PubAck(1, 5, sn.INVALID_TOPIC_ID)
    assert bench.device(refused) == to_device(sn.Register(1, 1, b"abc"))
    assert bench.device(sn.RegAck(1, 1, 0)) == to_device(sn.Publish(sn.make_flags(1), 1, 5, b"x"))


def test_refused_message_does_not_block_the_broker() -> None:
    bench = Bench().subscribed(2)
    bench.broker(publish(2, 5))
    assert bench.device(sn.PubAck(1, 5, sn.CONGESTION)) == [effect.ToBroker(b"\x50\2\0\5")]
    assert bench.broker(b"\x62\2\0\5") == [effect.ToBroker(b"\x70\2\0\5")]
    assert bench.client.counts["dropped"] == 1


def test_silent_client_is_lost_without_mqtt_disconnect_so_that_its_will_is_published() -> None:
    bench = Bench().joined(duration_s=60)
    assert bench.client.deadline() == 190.0  # 50 % tolerance up to a minute
    assert bench.at(189.0) == []
    assert bench.device(sn.PingReq()) == to_device(sn.PingResp())
    assert bench.client.deadline() == 279.0
    assert bench.at(279.0)[:2] == [effect.CloseBroker(), effect.Note("disconnected", "silent")]


def test_sleeping_client_gets_its_messages_when_it_asks() -> None:
    bench = Bench().subscribed(1)
    asleep = bench.device(sn.Disconnect(b"\0\x1e"))
    assert asleep == [effect.Note("asleep", "30 s"), *to_device(sn.Disconnect(b""))]
    assert bench.broker(publish(1, 5)) == []
    assert bench.broker(publish(0, 0)) == []
    assert bench.device(sn.PingReq(b"b1")) == to_device(sn.Publish(sn.make_flags(1), 1, 5, b"x"))
    assert bench.device(sn.PubAck(1, 5, 0)) == [
        effect.ToBroker(b"\x40\2\0\5"),
        *to_device(sn.Publish(0, 1, 0, b"x"), sn.PingResp()),
    ]
    assert bench.client.state is State.ASLEEP
    assert bench.broker(publish(1, 6)) == []


def test_sleeping_client_that_connects_again_keeps_its_session() -> None:
    bench = Bench().subscribed(0)
    bench.device(sn.Disconnect(b"\0\x1e"))
    bench.broker(publish(0, 0))
    back = bench.device(sn.Connect(0, 1, 60, b"b1"))
    assert back == to_device(sn.ConnAck(0), sn.Publish(0, 1, 0, b"x"))
    assert bench.client.state is State.ACTIVE


def test_sleep_during_a_handshake_resumes_it_on_waking() -> None:
    bench = Bench().subscribed(2)
    bench.broker(publish(2, 5))
    bench.device(sn.PubRec(5))
    bench.device(sn.Disconnect(b"\0\x1e"))
    assert bench.broker(b"\x62\2\0\5") == []
    assert bench.device(sn.PingReq(b"b1")) == to_device(sn.PubRel(5))
    assert bench.device(sn.PubComp(5)) == [
        effect.ToBroker(b"\x70\2\0\5"),
        *to_device(sn.PingResp()),
    ]


def test_buffer_of_a_sleeping_client_is_bounded_at_qos_0_only() -> None:
    bench = Bench().subscribed(1)
    bench.device(sn.Disconnect(b"\0\x1e"))
    for packet_id in range(1, 8):
        bench.broker(publish(1, packet_id))
        bench.broker(publish(0, 0))
    assert bench.client.counts["dropped"] == 5  # 2 of QoS 0 fit before five were there


def test_goodbye_ends_the_broker_session_in_order() -> None:
    bench = Bench().joined()
    assert bench.device(sn.Disconnect()) == [
        effect.ToBroker(b"\xe0\0"),
        effect.CloseBroker(),
        effect.Note("disconnected", "by_client"),
        *to_device(sn.Disconnect()),
    ]
    assert bench.client.disposable


def test_broker_that_goes_away_disconnects_the_client() -> None:
    bench = Bench().joined()
    bench.client.on_broker_closed("broker_gone")
    assert to_device(sn.Disconnect())[0] in bench.take()


def test_will_cannot_be_changed() -> None:
    bench = Bench().joined()
    answer = bench.device(sn.WillMsgUpd(b"other"))
    assert answer == to_device(sn.WillMsgResp(sn.NOT_SUPPORTED))
