"""Messages that an MQTT-SN gateway has to send to one client: in order, one handshake at a time.

REGISTER precedes a message whose topic the client does not know. At QoS 1 and 2 the next message
waits for the client's acknowledgement, as section 6.6 requires of clients. Unacknowledged packets
are retransmitted (section 6.13). A client that answers PINGREQ but no copy of a PUBLISH or REGISTER
cannot receive it: it may exceed the client's buffer, or its fragments are lost. It is dropped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from hil.peers.mqtt import codec as mqtt
from hil.peers.mqttsn import codec as sn
from hil.peers.mqttsn.topics import Topics

# The largest payload of a UDP datagram over IPv4: 65535 bytes less the headers of IP and UDP.
_DATAGRAM = 65507


def _fits(packet: sn.Packet) -> bool:
    """Return whether the packet fits MQTT-SN's length field and one datagram."""
    try:
        return len(sn.encode(packet)) <= _DATAGRAM
    except ValueError:
        return False


@dataclass(frozen=True)
class Limits:
    """Limits of a gateway: T_retry and N_retry of section 7.2, and buffered messages."""

    retry_s: float = 10.0
    retries: int = 5
    buffered: int = 1000


class Outbox:
    """The messages of one client. `send` sends packets, `acknowledge` MQTT packets to the broker.

    Attributes:
        open: whether the client listens; otherwise messages are buffered.
        lost: whether the client did not answer after all retries.
        dropped: number of messages lost to a full buffer or refused by the client.
    """

    def __init__(
        self,
        topics: Topics,
        limits: Limits,
        send: Callable[[sn.Packet], None],
        acknowledge: Callable[[bytes], None],
    ) -> None:
        self._topics, self._limits = topics, limits
        self._send, self._acknowledge = send, acknowledge
        self._queue: deque[mqtt.Message] = deque()
        self._waiting: sn.Packet | None = None  # packet that the client must answer
        self._deadline: float | None = None
        self._sent = 0
        self._msg_id = 0
        self._registered = False  # the client accepted the topic of the first message
        self.open, self.lost = False, False
        self.dropped = self.retransmitted = 0

    @property
    def empty(self) -> bool:
        return not self._queue

    def deadline(self) -> float | None:
        """When `on_time` is due."""
        return self._deadline if self.open else None

    def add(self, message: mqtt.Message, now: float) -> None:
        """Add a message from the broker."""
        if len(self._queue) >= self._limits.buffered and not message.qos:
            self.dropped += 1
            return
        self._queue.append(message)
        self.pump(now)

    def set_open(self, is_open: bool, now: float) -> None:
        """Set whether the client listens. When it starts to, a pending packet is sent again."""
        self.open = is_open
        if is_open:
            self._sent = 0
            if self._waiting:
                self._transmit(self._waiting, now)
            elif self._deadline is not None:
                self._await_broker(now)
            self.pump(now)

    def clear(self) -> None:
        """Remove all messages; the broker sends them again in a resumed session."""
        self._queue.clear()
        self._registered = False
        self._done()
        self.open = self.lost = False

    def pump(self, now: float) -> None:
        """Send messages until one must wait."""
        while self.open and self._queue and self._waiting is None and self._deadline is None:
            message = self._queue[0]
            alias = self._topics.alias(message.topic)
            if alias is None:
                self._register(message.topic, now)
                continue
            flags = sn.make_flags(message.qos, alias[0], dup=message.dup, retain=message.retain)
            packet = sn.Publish(flags, alias[1], message.packet_id, message.payload)
            if not _fits(packet):
                self._refuse()
            elif message.qos:
                self._transmit(packet, now)
            else:
                self._next()
                self._send(packet)

    def _register(self, topic: bytes, now: float) -> None:
        topic_id = self._topics.assign(topic)
        packet = sn.Register(topic_id or 0, self._msg_id % 0xFFFF + 1, topic)
        if topic_id is None or not _fits(packet):
            self._refuse()
            return
        self._msg_id = packet.msg_id
        self._transmit(packet, now)

    def _transmit(self, packet: sn.Packet, now: float) -> None:
        self._waiting, self._deadline = packet, now + self._limits.retry_s
        if not self.open:
            return
        if self._sent:
            self.retransmitted += 1
            if isinstance(packet, sn.Publish):
                packet = replace(packet, flags=packet.flags | sn.DUP)
        self._sent += 1
        self._send(packet)

    def _await_broker(self, now: float) -> None:
        """Wait for the broker; a client whose broker stays silent is lost."""
        self._deadline = now + self._limits.retry_s * (self._limits.retries + 1)

    def _done(self) -> None:
        self._waiting, self._deadline, self._sent = None, None, 0

    def _next(self) -> mqtt.Message:
        """Remove the first message, and return it."""
        self._registered = False
        self._done()
        return self._queue.popleft()

    def _refuse(self) -> None:
        """Drop the first message, and acknowledge it to the broker."""
        message = self._next()
        self.dropped += 1
        if message.qos:
            kind = mqtt.PUBACK if message.qos == 1 else mqtt.PUBREC
            self._acknowledge(mqtt.acknowledge(kind, message.packet_id))

    def on_time(self, now: float) -> None:
        """Retransmit a packet that was not answered in time."""
        if not self.open or self._deadline is None or now < self._deadline:
            return
        if self._waiting and self._sent <= self._limits.retries:
            self._transmit(self._waiting, now)
        elif isinstance(self._waiting, sn.Publish | sn.Register):
            self._done()
            self._transmit(sn.PingReq(), now)
        else:
            self.lost = True
            self._deadline = None

    def on_pingresp(self, _: sn.PingResp, now: float) -> None:
        """Drop the first message: the client is alive and did not answer it."""
        if isinstance(self._waiting, sn.PingReq):
            self._refuse()
            self.pump(now)

    def on_regack(self, packet: sn.RegAck, now: float) -> None:
        waiting = self._waiting
        if not isinstance(waiting, sn.Register) or waiting.msg_id != packet.msg_id:
            return
        self._done()
        if packet.code == sn.ACCEPTED:
            self._topics.learned(waiting.topic, sn.TOPIC_NORMAL, waiting.topic_id)
            self._registered = True
        else:
            self._refuse()
        self.pump(now)

    def on_puback(self, packet: sn.PubAck, now: float) -> None:
        """Handle PUBACK: QoS 1 is complete, or the topic id is unknown (any QoS, section 5.4.13).

        In the latter case the topic is registered once more. If the client accepts it and still
        refuses the message, the message is dropped.
        """
        waiting, wanted = self._waiting, not self._registered
        refused = packet.code == sn.INVALID_TOPIC_ID
        if refused:
            self._topics.forgotten(packet.topic_id)
        if not isinstance(waiting, sn.Publish) or waiting.msg_id != packet.msg_id:
            return
        if refused and wanted and waiting.flags & 3 == sn.TOPIC_NORMAL:
            self._topics.forgotten(waiting.topic_id)
            self._done()
        elif packet.code != sn.ACCEPTED:
            self._refuse()
        elif self._queue[0].qos == 1:
            self._next()
            self._acknowledge(mqtt.acknowledge(mqtt.PUBACK, packet.msg_id))
        self.pump(now)

    def on_pubrec(self, packet: sn.PubRec, now: float) -> None:
        """Handle PUBREC: forward it, and retransmit nothing until the broker's PUBREL."""
        waiting = self._waiting
        if isinstance(waiting, sn.PubRel) and waiting.msg_id == packet.msg_id:
            self._send(waiting)
        elif isinstance(waiting, sn.Publish) and waiting.msg_id == packet.msg_id:
            self._done()
            self._await_broker(now)
            self._acknowledge(mqtt.acknowledge(mqtt.PUBREC, packet.msg_id))

    def on_broker_pubrel(self, packet_id: int, now: float) -> None:
        """Forward the broker's PUBREL. The gateway itself answers it for a dropped message."""
        if self._queue and self._queue[0].packet_id == packet_id and self._queue[0].qos == 2:
            self._done()
            self._transmit(sn.PubRel(packet_id), now)
        else:
            self._acknowledge(mqtt.acknowledge(mqtt.PUBCOMP, packet_id))

    def on_pubcomp(self, packet: sn.PubComp, now: float) -> None:
        waiting = self._waiting
        if isinstance(waiting, sn.PubRel) and waiting.msg_id == packet.msg_id:
            self._next()
            self._acknowledge(mqtt.acknowledge(mqtt.PUBCOMP, packet.msg_id))
            self.pump(now)
