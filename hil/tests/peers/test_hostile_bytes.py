"""Randomly altered bytes that a peer receives: each is a message or malformed, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hil.peers.amqp import codec as amqp
from hil.peers.amqp.recorder import Recorder as AmqpRecorder
from hil.peers.coap import codec as coap
from hil.peers.log import Log
from hil.peers.mqtt import codec as mqtt
from hil.peers.mqtt.recorder import Recorder as MqttRecorder
from hil.peers.raw import codec as raw
from hil.peers.recording import Recorder

# A packet's content, and what frames it.
Packet = tuple[Callable[[bytes], bytes], bytes]


def _as_mqtt(kind: int, flags: int = 0) -> Callable[[bytes], bytes]:
    return lambda body: bytes([kind << 4 | flags, len(body)]) + body


def _as_amqp(kind: int, channel: int = 1) -> Callable[[bytes], bytes]:
    return lambda payload: amqp.frame(kind, channel, payload)


def _method(name: tuple[int, int], arguments: bytes = b"\0" * 12) -> Packet:
    return _as_amqp(amqp.METHOD), amqp.method(1, name, arguments)[7:-1]


def _whole(data: bytes) -> bytes:
    return data


_PUBLISHED = [mqtt.publish(mqtt.Message(b"tw/data", b"hi", qos, qos))[2:] for qos in range(3)]
_MQTT = [
    (_as_mqtt(mqtt.CONNACK), b"\0\0"),
    (_as_mqtt(mqtt.SUBACK), b"\0\1\2"),
    *((_as_mqtt(mqtt.PUBLISH, 2 * qos), body) for qos, body in enumerate(_PUBLISHED)),
    (_as_mqtt(mqtt.PUBREL, 2), b"\0\2"),
]
_DELIVERED = amqp.short("log") + bytes(7) + b"\1\0" + amqp.short("") + amqp.short("tw")
_AMQP = [
    *(_method(name) for name in (amqp.START, amqp.TUNE, amqp.OPEN_OK)),
    *(_method(name) for name in (amqp.CHANNEL_OPEN_OK, amqp.DECLARE_OK, amqp.CONSUME_OK)),
    _method(amqp.DELIVER, _DELIVERED),
    (_as_amqp(amqp.CONTENT_HEADER), b"\0\x3c\0\0" + bytes(7) + b"\2\0\0"),
    (_as_amqp(amqp.CONTENT_BODY), b"hi"),
]
_OPTIONS = (*coap.path("tw/data"), (300, b"x" * 20))
_COAP = [(_whole, coap.encode(coap.Message(coap.CON, coap.POST, 7, b"token", _OPTIONS, b"hi")))]
_RAW = [
    (_whole, raw.encode(raw.Message(raw.DATA, True, 1, b"hi"))),
    (_whole, raw.encode(raw.Message(raw.ACK, False, 1))),
]


@st.composite
def changed(draw: st.DrawFn, valid: bytes) -> bytes:
    """Some bytes of it replaced, dropped or doubled; or it is cut off."""
    data = bytearray(valid)
    at = draw(st.integers(0, len(data)))
    end = min(at + draw(st.integers(0, 8)), len(data))
    data[at:end] = draw(st.one_of(st.binary(max_size=8), st.just(bytes(data[at:end]) * 2)))
    return bytes(data[: draw(st.integers(0, len(data)))]) if draw(st.booleans()) else bytes(data)


@st.composite
def session(draw: st.DrawFn, packets: list[Packet]) -> bytes:
    """The packets, the content of some changed; the whole perhaps, too."""
    data = b"".join(
        frame(draw(st.one_of(st.just(content), changed(content)))) for frame, content in packets
    )
    return draw(st.one_of(st.just(data), changed(data)))


def _take_all(data: bytes) -> None:
    at = 0
    while message := raw.take(data, at):
        at += raw.HEAD_BYTES + len(message.payload)


def _heard_by(make: Callable[[Log], Recorder]) -> Callable[[bytes], object]:
    def parse(data: bytes) -> None:
        recorder = make(Log("test", Path("/nowhere")))
        recorder.greeting()
        recorder.feed(data, 1)

    return parse


@pytest.mark.parametrize(
    ("parse", "packets", "malformed"),
    [
        (_heard_by(lambda log: MqttRecorder(log, 0)), _MQTT, mqtt.Malformed),
        (_heard_by(lambda log: MqttRecorder(log, 2)), _MQTT, mqtt.Malformed),
        (_heard_by(lambda log: AmqpRecorder(log, "tw", False)), _AMQP, amqp.Malformed),
        (_heard_by(lambda log: AmqpRecorder(log, "tw", True)), _AMQP, amqp.Malformed),
        (coap.decode, _COAP, coap.Malformed),
        (_take_all, _RAW, raw.Malformed),
    ],
)
@settings(max_examples=300)
@given(data=st.data())
def test_bytes_are_understood_or_malformed(
    parse: Callable[[bytes], object],
    packets: list[Packet],
    malformed: type[Exception],
    data: st.DataObject,
) -> None:
    """Valid bytes are tried, too: an error would raise."""
    parse(b"".join(frame(content) for frame, content in packets))
    try:
        parse(data.draw(session(packets)))
    except (malformed, ConnectionError):  # a recorder whose broker refuses it
        return
