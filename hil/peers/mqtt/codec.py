"""MQTT 3.1.1 packets (OASIS standard of 29 October 2014). No I/O; state only in `Stream`."""

from __future__ import annotations

from typing import NamedTuple

# Control packet types, table 2.1.
CONNECT, CONNACK, PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP = range(1, 8)
SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK, PINGREQ, PINGRESP, DISCONNECT = range(8, 15)
# Flags that section 2.2.2 prescribes for a type; they are 0 for all other types.
_FIXED_FLAGS = {PUBREL: 2, SUBSCRIBE: 2, UNSUBSCRIBE: 2}
FAILURE = 0x80  # in SUBACK


class Malformed(ValueError):
    """The peer breaks the protocol; the connection must be closed."""


class Packet(NamedTuple):
    """A control packet: type, flags of the fixed header, variable header and payload."""

    kind: int
    flags: int
    body: bytes


class Message(NamedTuple):
    """The content of a PUBLISH; `packet_id` is 0 at QoS 0."""

    topic: bytes
    payload: bytes
    qos: int = 0
    packet_id: int = 0
    retain: bool = False
    dup: bool = False


class Will(NamedTuple):
    topic: bytes
    payload: bytes
    qos: int = 0
    retain: bool = False


def _text(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


def _frame(kind: int, body: bytes, flags: int = 0) -> bytes:
    """Encode a packet: fixed header (section 2.2) and body."""
    length, size = b"", len(body)
    while True:
        size, digit = size >> 7, size & 0x7F
        length += bytes([digit | 0x80 * (size > 0)])
        if not size:
            return bytes([kind << 4 | flags]) + length + body


def connect(
    client_id: bytes, keepalive_s: int = 0, clean: bool = True, will: Will | None = None
) -> bytes:
    """CONNECT, section 3.1."""
    flags, tail = 2 * clean, b""
    if will:
        flags |= 0x04 | will.qos << 3 | 0x20 * will.retain
        tail = _text(will.topic) + _text(will.payload)
    head = _text(b"MQTT") + bytes([4, flags]) + keepalive_s.to_bytes(2, "big")
    return _frame(CONNECT, head + _text(client_id) + tail)


def publish(message: Message) -> bytes:
    """PUBLISH, section 3.3."""
    flags = message.dup << 3 | message.qos << 1 | int(message.retain)
    packet_id = message.packet_id.to_bytes(2, "big") if message.qos else b""
    return _frame(PUBLISH, _text(message.topic) + packet_id + message.payload, flags)


def subscribe(packet_id: int, topic: bytes, qos: int) -> bytes:
    """SUBSCRIBE to one topic filter, section 3.8."""
    body = packet_id.to_bytes(2, "big") + _text(topic) + bytes([qos])
    return _frame(SUBSCRIBE, body, _FIXED_FLAGS[SUBSCRIBE])


def unsubscribe(packet_id: int, topic: bytes) -> bytes:
    """UNSUBSCRIBE from one topic filter, section 3.10."""
    return _frame(UNSUBSCRIBE, packet_id.to_bytes(2, "big") + _text(topic), 2)


def acknowledge(kind: int, packet_id: int) -> bytes:
    """PUBACK, PUBREC, PUBREL or PUBCOMP, sections 3.4 to 3.7."""
    return bytes([kind << 4 | _FIXED_FLAGS.get(kind, 0), 2]) + packet_id.to_bytes(2, "big")


def ping() -> bytes:
    """PINGREQ, section 3.12."""
    return bytes([PINGREQ << 4, 0])


def disconnect() -> bytes:
    return bytes([DISCONNECT << 4, 0])


def is_topic_name(topic: bytes) -> bool:
    """Return whether this is a valid topic of a PUBLISH: UTF-8 without U+0000 [MQTT-1.5.3-1, -2],
    at least one character [MQTT-4.7.3-1] and no wildcard [MQTT-3.3.2-2]."""
    try:
        topic.decode()
    except UnicodeDecodeError:
        return False
    return bool(topic) and not set(topic) & set(b"\0+#")


def parse_publish(packet: Packet) -> Message:
    """Decode a PUBLISH.

    Raises:
        Malformed: QoS 3, a body that is too short, or an invalid topic.
    """
    qos, body = packet.flags >> 1 & 3, packet.body
    size = int.from_bytes(body[:2], "big")
    start = 2 + size + (2 if qos else 0)
    if qos == 3 or len(body) < 2 or start > len(body):
        raise Malformed("PUBLISH")
    topic = body[2 : 2 + size]
    if not is_topic_name(topic):
        raise Malformed("topic of a PUBLISH")
    packet_id = int.from_bytes(body[2 + size : start], "big")
    return Message(
        topic,
        body[start:],
        qos,
        packet_id,
        bool(packet.flags & 1),
        bool(packet.flags & 8),
    )


def packet_id(packet: Packet) -> int:
    """Return the packet identifier of an acknowledgement.

    Raises:
        Malformed: the body is too short.
    """
    if len(packet.body) < 2:
        raise Malformed(f"packet type {packet.kind} without identifier")
    return int.from_bytes(packet.body[:2], "big")


def session_present(packet: Packet) -> bool:
    """Return the session present flag of a CONNACK, section 3.2.2.2.

    Raises:
        Malformed: the body is too short.
    """
    if len(packet.body) < 2:
        raise Malformed("CONNACK")
    return bool(packet.body[0] & 1)


def refused(packet: Packet) -> bool:
    """Return whether a CONNACK or SUBACK reports a refusal, sections 3.2.2.3 and 3.9.3.

    Raises:
        Malformed: the body is too short, or a return code is reserved [MQTT-3.9.3-2].
    """
    codes = packet.body[1:2] if packet.kind == CONNACK else packet.body[2:]
    if not codes or (packet.kind == SUBACK and not set(codes) <= {0, 1, 2, FAILURE}):
        raise Malformed(f"return codes of packet type {packet.kind}")
    return bool(codes[0]) if packet.kind == CONNACK else FAILURE in codes


class Stream:
    """Splits the bytes of a connection into packets."""

    def __init__(self) -> None:
        self._buffer = b""

    def feed(self, data: bytes) -> list[Packet]:
        """Return the packets that `data` completes.

        Raises:
            Malformed: a remaining length of more than four bytes.
        """
        buffer, at, found = self._buffer + data, 0, []
        while (header := self._header(buffer, at)) is not None:
            start, length = header
            if start + length > len(buffer):
                break
            found.append(Packet(buffer[at] >> 4, buffer[at] & 15, buffer[start : start + length]))
            at = start + length
        self._buffer = buffer[at:]
        return found

    @staticmethod
    def _header(buffer: bytes, at: int) -> tuple[int, int] | None:
        """Return start and length of the body of the packet at `at`; None while incomplete."""
        length = 0
        for index, byte in enumerate(buffer[at + 1 : at + 5]):
            length |= (byte & 0x7F) << 7 * index
            if not byte & 0x80:
                return at + 2 + index, length
        if len(buffer) >= at + 5:
            raise Malformed("remaining length")
        return None
