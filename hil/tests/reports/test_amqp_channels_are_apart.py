"""Are the channels of one AMQP connection distinguished?

Reports: php-amqp #547, vertx-rabbitmq-client #91 (two channels with confirms); AMQP 0-9-1, 2.2.5
and 4.2.6: frames of several channels may be mixed, each channel's contents by themselves.
"""

import struct

import pytest

from hil.peers.amqp import codec
from hil.tests.reports.wire import Connection, Wire

CONTENT = struct.Struct(">HHQH")


def publish(channel: int, key: str, body: bytes) -> list[bytes]:
    """The method, the content header and the body of a message, one frame each."""
    return [
        codec.method(channel, codec.PUBLISH, b"\0\0" + codec.short("") + codec.short(key) + b"\0"),
        codec.frame(codec.CONTENT_HEADER, channel, CONTENT.pack(60, 0, len(body), 0)),
        codec.frame(codec.CONTENT_BODY, channel, body),
    ]


def ack(channel: int, tag: int, multiple: bool = False) -> bytes:
    return codec.method(channel, codec.ACK, struct.pack(">Q?", tag, multiple))


def opened(wire: Wire, *channels: int) -> Connection:
    """A connection to a broker with these channels, in the mode of publisher confirms."""
    connection = wire.connect(5672)
    connection.up(codec.HEADER)
    for channel in channels:
        connection.up(codec.method(channel, codec.CHANNEL_OPEN, codec.short("")))
        connection.down(codec.method(channel, codec.CHANNEL_OPEN_OK, codec.long(b"")))
        connection.up(codec.method(channel, codec.CONFIRM_SELECT, b"\0"))
        connection.down(codec.method(channel, codec.CONFIRM_SELECT_OK, b""))
    return connection


def test_each_channel_counts_its_own_confirms(analyze):
    wire = Wire()
    connection = opened(wire, 1, 2)
    for i in range(10):
        for channel, key, delay_s in ((1, "a", 0.01), (2, "b", 0.1)):
            connection.up(b"".join(publish(channel, key, b"x" * 20)), delay_s)
            connection.down(ack(channel, i + 1), 0.3)
    run = analyze(wire, "--by", "topic")
    assert (run.metric("request_ack_mean_ms"), run.n("request_ack_mean_ms")) == (55, 20)
    assert run.metric("request_ack_max_ms", "a") == 10
    assert run.metric("request_ack_median_ms", "b") == 100
    assert analyze(wire, "--topic", "b").metric("request_ack_mean_ms") == 100


def test_mixed_contents_belong_to_their_channels(analyze):
    wire = Wire()
    connection = opened(wire, 1, 2)
    for i in range(5):
        long, short = publish(1, "a", b"A" * 100), publish(2, "b", b"B" * 10)
        connection.up(b"".join(part for pair in zip(long, short, strict=True) for part in pair))
        connection.down(ack(1, i + 1) + ack(2, i + 1))
    run = analyze(wire, "--by", "topic")
    assert (run.metric("payload_bytes", "a"), run.metric("payload_bytes", "b")) == (500, 50)


@pytest.mark.parametrize("seen", [True, False])
def test_a_confirm_without_multiple_is_of_one_message(analyze, seen: bool):
    """RabbitMQ may confirm the second message first; the capture may begin behind the opening."""
    wire = Wire()
    connection = opened(wire, 1) if seen else wire.connect(5672, handshake=False)
    first = 1 if seen else 1001
    for i in range(0, 10, 2):
        connection.up(b"".join(publish(1, "a", b"x") + publish(1, "b", b"x")), 0.01)
        connection.down(ack(1, first + i + 1), 0.09)
        connection.down(ack(1, first + i), 0.5)
    run = analyze(wire, "--by", "topic")
    assert run.metric("request_ack_mean_ms", "a") == pytest.approx(100)
    assert run.metric("request_ack_mean_ms", "b") == pytest.approx(10)


def test_a_channel_that_is_opened_again_counts_anew(analyze):
    wire = Wire()
    connection = opened(wire, 1)
    for tag in (1, 2, 3):
        connection.up(b"".join(publish(1, "a", b"x")), 0.01)
        connection.down(ack(1, tag), 0.5)
    connection.up(codec.method(1, codec.CHANNEL_OPEN, codec.short("")))
    connection.up(codec.method(1, codec.CONFIRM_SELECT, b"\0"))
    connection.up(b"".join(publish(1, "a", b"x") * 2), 0.04)
    connection.down(ack(1, 2, multiple=True), 0.5)
    run = analyze(wire)
    assert run.metric("request_ack_mean_ms") == pytest.approx((3 * 10 + 2 * 40) / 5)
    assert run.n("request_ack_mean_ms") == 5


def test_keys_of_other_methods_are_no_topics(analyze):
    """queue.bind has a routing key, too, and may share a segment with a message."""
    wire = Wire()
    connection = opened(wire, 1)
    key = codec.short("bound") + b"\0" + codec.long(b"")
    bind = codec.method(1, (50, 20), b"\0\0" + codec.short("q") + codec.short("x") + key)
    connection.up(bind + b"".join(publish(1, "a", b"x")))
    assert analyze(wire).header("topic") == "a"
