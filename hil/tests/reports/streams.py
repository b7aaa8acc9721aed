"""Engines over TCP for report cases: each connected to a peer whose bytes the case writes."""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Callable

from hil.peers.amqp import codec as amqp
from hil.peers.mqtt import codec as mqtt
from hil.tests.reports.driver import Device

Engine = Callable[[str], Device]
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3


def sent(device: Device) -> bytes:
    """All that left since the last call."""
    return b"".join(piece.data for piece in device.sent())


def reasons(device: Device) -> list[str]:
    """The reasons why the device has closed or abandoned connections so far."""
    return [event.reason for event in device.events if event.type in {"close", "error"}]


def received(device: Device) -> list[bytes]:
    """The messages that are complete."""
    messages, body = [], b""
    for event in device.heard("received"):
        body = event.data if not event.offset else body + event.data
        if event.last:
            messages.append(body)
    return messages


# ---- HTTP


def http_server(engine: Engine, words: str = "") -> Device:
    """A serving device with one open connection; its resource is /a, and "tw:0.." at first."""
    device = engine(f"proto=http role=serve topic=a payload_bytes=6 {words}")
    device.open()
    return device


def http_answer(engine: Engine, request: bytes, words: str = "") -> bytes:
    """What a serving device sends in answer to a request."""
    device = http_server(engine, words)
    device.feed(request)
    return sent(device)


def http_statuses(answer: bytes) -> list[int]:
    """The status codes of the answers in a stream."""
    return [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]]


def http_client(engine: Engine, size: int = 8, words: str = "") -> Device:
    """A device that waits for the response to its POST, message 1."""
    device = engine(f"proto=http role=publish topic=a peer=10.0.0.1 {words}")
    device.open()
    device.publish(1, size)
    device.sent()
    return device


# ---- WebSocket


def websocket_accept(request: bytes) -> bytes:
    """The Sec-WebSocket-Accept for an opening request (section 4.2.2)."""
    key = request.split(b"Sec-WebSocket-Key: ")[1].split(b"\r\n")[0]
    return base64.b64encode(hashlib.sha1(key + _GUID).digest())


def websocket(engine: Engine, words: str = "role=publish", answer: bytes = b"") -> Device:
    """A device that has asked for a WebSocket and has an answer; `@` in it stands for the value of
    Sec-WebSocket-Accept. Without `answer` it is connected."""
    device = engine(f"proto=websocket topic=a peer=10.0.0.1 {words}")
    device.open()
    accept = websocket_accept(sent(device))
    answer = answer or (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: @\r\n\r\n"
    )
    device.feed(answer.replace(b"@", accept))
    return device


def websocket_frames(data: bytes) -> list[tuple[int, bytes]]:
    """Opcode and unmasked payload of the client's frames of less than 126 bytes."""
    found = []
    while data:
        size, mask = data[1] & 127, data[2:6]
        body = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data[6 : 6 + size]))
        found.append((data[0] & 15, body))
        data = data[6 + size :]
    return found


# ---- AMQP

AMQP_OPENING = [
    amqp.method(0, amqp.START, b"\0\x09" + amqp.long(b"") + amqp.long(b"PLAIN") + amqp.long(b"")),
    amqp.method(0, amqp.TUNE, struct.pack(">HIH", 2047, 131072, 60)),
    amqp.method(0, amqp.OPEN_OK, b"\0"),
    amqp.method(1, amqp.CHANNEL_OPEN_OK, amqp.long(b"")),
    amqp.method(1, amqp.DECLARE_OK, amqp.short("q") + bytes(8)),
]


def amqp_device(engine: Engine, words: str, opening: list[bytes] | None = None) -> Device:
    """A device in a session of AMQP: a publisher with confirms, or with role=subscribe a
    consumer."""
    device = engine(f"proto=amqp queue=q peer=10.0.0.1 {words}")
    device.open()
    for answer in opening or AMQP_OPENING:
        device.feed(answer)
    if "role=subscribe" in words:
        device.feed(amqp.method(1, (60, 11), b""))  # basic.qos-ok
        device.feed(amqp.method(1, amqp.CONSUME_OK, amqp.short("tw")))
    else:
        device.feed(amqp.method(1, amqp.CONFIRM_SELECT_OK, b""))
    device.sent()
    return device


def amqp_delivery(tag: int, body: bytes) -> list[bytes]:
    """A delivery's frames: method, content header and, unless it is empty, a body."""
    deliver = amqp.short("tw") + struct.pack(">QB", tag, 0) + amqp.short("") + amqp.short("q")
    header = struct.pack(">HHQH", 60, 0, len(body), 0)
    bodies = [amqp.frame(amqp.CONTENT_BODY, 1, body)] if body else []
    return [
        amqp.method(1, amqp.DELIVER, deliver),
        amqp.frame(amqp.CONTENT_HEADER, 1, header),
        *bodies,
    ]


def amqp_methods(data: bytes) -> list[tuple[int, int]]:
    """Class and method of the method frames that a device sent."""
    return [amqp.name_of(payload) for kind, _, payload in amqp.frames(data) if kind == amqp.METHOD]


# ---- MQTT

CONNACK, RESUMED = bytes.fromhex("20020000"), bytes.fromhex("20020100")


def mqtt_subscriber(engine: Engine, words: str = "qos=2") -> Device:
    """A device that has subscribed to t."""
    device = engine(f"proto=mqtt role=subscribe topic=t {words}")
    device.open()
    device.feed(CONNACK)
    device.feed(bytes.fromhex("9003000100"))
    device.sent()
    return device


def mqtt_publish(topic: bytes, payload: bytes = b"x", qos: int = 0, packet_id: int = 1) -> bytes:
    """A PUBLISH of the broker."""
    return mqtt.publish(mqtt.Message(topic, payload, qos, packet_id))
