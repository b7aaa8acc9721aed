"""MQTT-SN 1.2 packets (specification of 14 November 2013, section 5). No I/O, no state.

A packet is a frozen dataclass. Its class defines the wire layout: `KIND`, the message type of table
3; `HEAD`, the fixed part in struct notation; and, if `TAIL` is true, a last field with the rest of
the packet.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from typing import ClassVar

# Flags, section 5.3.4.
DUP, RETAIN, WILL, CLEAN = 0x80, 0x10, 0x08, 0x04
_QOS_SHIFT, _QOS_MINUS_ONE = 5, 3
TOPIC_NORMAL, TOPIC_PREDEFINED, TOPIC_SHORT = 0, 1, 2
# Return codes, table 5.
ACCEPTED, CONGESTION, INVALID_TOPIC_ID, NOT_SUPPORTED = 0, 1, 2, 3

PROTOCOL_ID = 1
LONGEST = 65535


class Malformed(ValueError):
    """The bytes are not an MQTT-SN packet; the text gives the reason. Receivers drop them."""


def qos_of(flags: int) -> int:
    """Return the quality of service of a flags byte, -1 to 2."""
    qos = flags >> _QOS_SHIFT & 3
    return -1 if qos == _QOS_MINUS_ONE else qos


def make_flags(
    qos: int = 0,
    topic_type: int = TOPIC_NORMAL,
    *,
    dup: bool = False,
    retain: bool = False,
    will: bool = False,
    clean: bool = False,
) -> int:
    """Make a flags byte."""
    bits = (qos & 3) << _QOS_SHIFT | topic_type
    return bits | DUP * dup | RETAIN * retain | WILL * will | CLEAN * clean


@dataclass(frozen=True)
class Packet:
    """Base of all packets."""

    KIND: ClassVar[int]
    HEAD: ClassVar[struct.Struct] = struct.Struct(">")
    TAIL: ClassVar[bool] = False


@dataclass(frozen=True)
class Advertise(Packet):
    KIND, HEAD = 0x00, struct.Struct(">BH")
    gateway_id: int
    duration_s: int


@dataclass(frozen=True)
class SearchGw(Packet):
    KIND, HEAD = 0x01, struct.Struct(">B")
    radius: int


@dataclass(frozen=True)
class GwInfo(Packet):
    """`address` is empty when the gateway itself answers."""

    KIND, HEAD, TAIL = 0x02, struct.Struct(">B"), True
    gateway_id: int
    address: bytes = b""


@dataclass(frozen=True)
class Connect(Packet):
    KIND, HEAD, TAIL = 0x04, struct.Struct(">BBH"), True
    flags: int
    protocol_id: int
    duration_s: int
    client_id: bytes


@dataclass(frozen=True)
class ConnAck(Packet):
    KIND, HEAD = 0x05, struct.Struct(">B")
    code: int


@dataclass(frozen=True)
class WillTopicReq(Packet):
    KIND = 0x06


@dataclass(frozen=True)
class WillTopic(Packet):
    """`body` is flags and topic name, or empty: no will (section 5.4.7)."""

    KIND, TAIL = 0x07, True
    body: bytes


@dataclass(frozen=True)
class WillMsgReq(Packet):
    KIND = 0x08


@dataclass(frozen=True)
class WillMsg(Packet):
    KIND, TAIL = 0x09, True
    message: bytes


@dataclass(frozen=True)
class Register(Packet):
    KIND, HEAD, TAIL = 0x0A, struct.Struct(">HH"), True
    topic_id: int
    msg_id: int
    topic: bytes


@dataclass(frozen=True)
class RegAck(Packet):
    KIND, HEAD = 0x0B, struct.Struct(">HHB")
    topic_id: int
    msg_id: int
    code: int


@dataclass(frozen=True)
class Publish(Packet):
    KIND, HEAD, TAIL = 0x0C, struct.Struct(">BHH"), True
    flags: int
    topic_id: int
    msg_id: int
    data: bytes


@dataclass(frozen=True)
class PubAck(Packet):
    KIND, HEAD = 0x0D, struct.Struct(">HHB")
    topic_id: int
    msg_id: int
    code: int


@dataclass(frozen=True)
class PubComp(Packet):
    KIND, HEAD = 0x0E, struct.Struct(">H")
    msg_id: int


@dataclass(frozen=True)
class PubRec(Packet):
    KIND, HEAD = 0x0F, struct.Struct(">H")
    msg_id: int


@dataclass(frozen=True)
class PubRel(Packet):
    KIND, HEAD = 0x10, struct.Struct(">H")
    msg_id: int


@dataclass(frozen=True)
class Subscribe(Packet):
    """`topic` is a name, a predefined id or a short name, by the flags."""

    KIND, HEAD, TAIL = 0x12, struct.Struct(">BH"), True
    flags: int
    msg_id: int
    topic: bytes


@dataclass(frozen=True)
class SubAck(Packet):
    KIND, HEAD = 0x13, struct.Struct(">BHHB")
    flags: int
    topic_id: int
    msg_id: int
    code: int


@dataclass(frozen=True)
class Unsubscribe(Packet):
    KIND, HEAD, TAIL = 0x14, struct.Struct(">BH"), True
    flags: int
    msg_id: int
    topic: bytes


@dataclass(frozen=True)
class UnsubAck(Packet):
    KIND, HEAD = 0x15, struct.Struct(">H")
    msg_id: int


@dataclass(frozen=True)
class PingReq(Packet):
    """`client_id` is there when a sleeping client awakes."""

    KIND, TAIL = 0x16, True
    client_id: bytes = b""


@dataclass(frozen=True)
class PingResp(Packet):
    KIND = 0x17


@dataclass(frozen=True)
class Disconnect(Packet):
    """`body` is empty, or two bytes: the duration of the sleep."""

    KIND, TAIL = 0x18, True
    body: bytes = b""

    @property
    def duration_s(self) -> int:
        """Seconds of sleep; 0 when the client leaves for good."""
        return int.from_bytes(self.body, "big")


@dataclass(frozen=True)
class WillTopicUpd(Packet):
    KIND, TAIL = 0x1A, True
    body: bytes


@dataclass(frozen=True)
class WillTopicResp(Packet):
    KIND, HEAD = 0x1B, struct.Struct(">B")
    code: int


@dataclass(frozen=True)
class WillMsgUpd(Packet):
    KIND, TAIL = 0x1C, True
    message: bytes


@dataclass(frozen=True)
class WillMsgResp(Packet):
    KIND, HEAD = 0x1D, struct.Struct(">B")
    code: int


_BY_KIND = {kind.KIND: kind for kind in Packet.__subclasses__()}
_NAMES = {kind: [field.name for field in fields(kind)] for kind in _BY_KIND.values()}


def encode(packet: Packet) -> bytes:
    """The packet as a datagram. From 256 bytes on the length takes three bytes (section 5.2.1).

    Raises:
        ValueError: it would be longer than 65535 bytes.
    """
    values = [getattr(packet, name) for name in _NAMES[type(packet)]]
    tail = values.pop() if packet.TAIL else b""
    body = bytes([packet.KIND]) + packet.HEAD.pack(*values) + tail
    if len(body) < 255:
        return bytes([len(body) + 1]) + body
    if len(body) + 3 > LONGEST:
        raise ValueError(f"a packet of {len(body) + 3} bytes")
    return b"\1" + (len(body) + 3).to_bytes(2, "big") + body


def decode(datagram: bytes) -> Packet:
    """The packet in a datagram.

    Raises:
        Malformed: unknown message type, or a length that does not fit.
    """
    start = 3 if datagram[:1] == b"\1" else 1
    if len(datagram) <= start:
        raise Malformed("too short")
    length = int.from_bytes(datagram[1:3] if start == 3 else datagram[:1], "big")
    if length != len(datagram):
        raise Malformed(f"length {length} in a datagram of {len(datagram)} bytes")
    kind = _BY_KIND.get(datagram[start])
    if kind is None:
        raise Malformed(f"message type 0x{datagram[start]:02x}")
    rest = datagram[start + 1 :]
    size = kind.HEAD.size
    if len(rest) < size or (len(rest) > size and not kind.TAIL):
        raise Malformed(f"{kind.__name__} with {len(rest)} bytes")
    if kind is Disconnect and len(rest) not in (0, 2):
        raise Malformed("Disconnect with a duration that is not two bytes long")
    head = kind.HEAD.unpack_from(rest)
    return kind(*head, rest[size:]) if kind.TAIL else kind(*head)
