"""One client of a transparent MQTT-SN gateway, without I/O (specification 1.2, sections 4.2, 6).

Packets of the device and of the broker are inputs, with a time; effects are outputs. The client has
a broker connection of its own. Message identifiers pass unchanged in both directions, so that a
device receives the broker's own acknowledgements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hil.peers.mqtt import codec as mqtt
from hil.peers.mqttsn import codec as sn
from hil.peers.mqttsn import effects as effect
from hil.peers.mqttsn.effects import SLEEPING, State
from hil.peers.mqttsn.inbox import Inbox
from hil.peers.mqttsn.outbox import Limits, Outbox
from hil.peers.mqttsn.topics import Topics, is_name

_BEFORE_JOINING = {sn.Connect, sn.WillTopic, sn.WillMsg, sn.Disconnect}
_JOINED = {State.ACTIVE, *SLEEPING}


class Client:
    """See the module. `effects` collects pending actions; the driver executes and removes them."""

    def __init__(self, predefined: Mapping[int, bytes], limits: Limits | None = None) -> None:
        self.state = State.DISCONNECTED
        self.client_id = b""
        self.effects: list[effect.Effect] = []
        self._connect = sn.Connect(0, sn.PROTOCOL_ID, 0, b"")
        self._will: mqtt.Will | None = None
        self._topics = Topics(predefined)
        self._outbox = Outbox(self._topics, limits or Limits(), self._to_device, self._to_broker)
        self._inbox = Inbox(self._to_device, self._to_broker)
        self._subscribed: dict[int, tuple[bytes, int, int]] = {}  # msg_id -> name, type, id
        self._silent_at: float | None = None
        self._silence_s = 0.0
        self._handlers: dict[type[sn.Packet], Callable[..., None]] = {
            sn.Connect: self._on_connect,
            sn.WillTopic: self._on_will_topic,
            sn.WillMsg: self._on_will_message,
            sn.Register: self._on_register,
            sn.RegAck: self._outbox.on_regack,
            sn.Publish: self._on_publish,
            sn.PubAck: self._outbox.on_puback,
            sn.PubRec: self._outbox.on_pubrec,
            sn.PubRel: self._on_pubrel,
            sn.PubComp: self._outbox.on_pubcomp,
            sn.Subscribe: self._on_subscribe,
            sn.Unsubscribe: self._on_unsubscribe,
            sn.PingReq: self._on_pingreq,
            sn.PingResp: self._outbox.on_pingresp,
            sn.Disconnect: self._on_disconnect,
            sn.WillTopicUpd: self._on_will_update,
            sn.WillMsgUpd: self._on_will_update,
        }
        self._answers: dict[int, Callable[[int], None]] = {
            mqtt.PUBACK: self._inbox.on_puback,
            mqtt.PUBREC: self._inbox.on_pubrec,
            mqtt.PUBCOMP: self._inbox.on_pubcomp,
            mqtt.UNSUBACK: lambda msg_id: self._to_device(sn.UnsubAck(msg_id)),
        }

    @property
    def disposable(self) -> bool:
        """Whether no state of this client needs to be kept."""
        return self.state is State.DISCONNECTED and bool(self._connect.flags & sn.CLEAN)

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of packets retransmitted to the device and of messages dropped."""
        return {"retransmitted": self._outbox.retransmitted, "dropped": self._outbox.dropped}

    def _to_device(self, packet: sn.Packet) -> None:
        self.effects.append(effect.ToDevice(packet))

    def _to_broker(self, data: bytes) -> None:
        self.effects.append(effect.ToBroker(data))

    def deadline(self) -> float | None:
        """Return when `on_time` is due; None if never."""
        times = [t for t in (self._silent_at, self._outbox.deadline()) if t is not None]
        return min(times) if times else None

    def on_time(self, now: float) -> None:
        """Retransmit; disconnect a client that is silent, so that the broker publishes its will."""
        self._outbox.on_time(now)
        if self._outbox.lost or (self._silent_at is not None and now >= self._silent_at):
            self._leave("no_answer" if self._outbox.lost else "silent")
            self._to_device(sn.Disconnect())

    def _heard(self, now: float) -> None:
        if self._silence_s:
            self._silent_at = now + self._silence_s

    def _supervise(self, duration_s: float, now: float) -> None:
        self._silence_s, self._silent_at = effect.tolerated_s(duration_s), None
        self._heard(now)

    def _leave(self, reason: str) -> None:
        self.state = State.DISCONNECTED
        self._silence_s, self._silent_at = 0.0, None
        self._outbox.clear()
        self._inbox.clear()
        self._subscribed.clear()
        self.effects.append(effect.CloseBroker())
        self.effects.append(effect.Note("disconnected", reason))

    def on_packet(self, packet: sn.Packet, now: float) -> None:
        """Handle a packet of this client. Packets that only a gateway sends are ignored."""
        handler = self._handlers.get(type(packet))
        if handler is None:
            return
        self._heard(now)
        if self.state in _JOINED or type(packet) in _BEFORE_JOINING:
            handler(packet, now)
            self._sleep_again(now)
        elif self.state is State.DISCONNECTED:
            self._to_device(
                sn.Disconnect()
            )  # the device believes that it is connected (section 6.12)

    def _on_connect(self, packet: sn.Connect, now: float) -> None:
        if packet.protocol_id != sn.PROTOCOL_ID:
            self._to_device(sn.ConnAck(sn.NOT_SUPPORTED))
            return
        if self.state is State.OPENING and packet == self._connect:
            return  # a retransmission; CONNACK follows
        back = self.state in SLEEPING and not packet.flags & sn.CLEAN
        self._connect, self.client_id = packet, packet.client_id
        if back:
            self._supervise(packet.duration_s, now)
            self._to_device(sn.ConnAck(sn.ACCEPTED))
            self._become_active(now)
            return
        self._inbox.clear()
        self._outbox.clear()
        if packet.flags & sn.CLEAN:
            self._topics.clear()
        self._will = None
        if packet.flags & sn.WILL:
            self.state = State.WILL_TOPIC
            self._to_device(sn.WillTopicReq())
        else:
            self._open()

    def _on_will_topic(self, packet: sn.WillTopic, now: float) -> None:
        if self.state not in {State.WILL_TOPIC, State.WILL_MESSAGE}:
            return
        if len(packet.body) < 2:
            self._open()
            return
        flags = packet.body[0]
        if not is_name(packet.body[1:]):
            self._to_device(sn.ConnAck(sn.NOT_SUPPORTED))
            self._leave("will_refused")
            return
        self._will = mqtt.Will(
            packet.body[1:], b"", max(sn.qos_of(flags), 0), bool(flags & sn.RETAIN)
        )
        self.state = State.WILL_MESSAGE
        self._to_device(sn.WillMsgReq())

    def _on_will_message(self, packet: sn.WillMsg, now: float) -> None:
        if self.state is State.WILL_MESSAGE and self._will:
            self._will = self._will._replace(payload=packet.message)
            self._open()

    def _open(self) -> None:
        self.state = State.OPENING
        self.effects.append(effect.OpenBroker())

    def _on_register(self, packet: sn.Register, now: float) -> None:
        topic_id = self._topics.assign(packet.topic) if is_name(packet.topic) else 0
        if not topic_id:
            code = sn.CONGESTION if topic_id is None else sn.NOT_SUPPORTED
            self._to_device(sn.RegAck(0, packet.msg_id, code))
            return
        self._topics.learned(packet.topic, sn.TOPIC_NORMAL, topic_id)
        self._to_device(sn.RegAck(topic_id, packet.msg_id, sn.ACCEPTED))

    def _on_publish(self, packet: sn.Publish, now: float) -> None:
        name = self._topics.name(packet.flags & 3, packet.topic_id)
        if name is None:
            self._to_device(sn.PubAck(packet.topic_id, packet.msg_id, sn.INVALID_TOPIC_ID))
        else:
            self._inbox.publish(packet, name)

    def _on_pubrel(self, packet: sn.PubRel, now: float) -> None:
        self._inbox.release(packet.msg_id)

    def _on_subscribe(self, packet: sn.Subscribe, now: float) -> None:
        kind = packet.flags & 3
        name, topic_id = self._topics.wanted(kind, packet.topic)
        if name is None or not packet.msg_id:
            code = sn.INVALID_TOPIC_ID if name is None else sn.NOT_SUPPORTED
            self._to_device(sn.SubAck(0, topic_id, packet.msg_id, code))
            return
        self._subscribed[packet.msg_id] = name, kind, topic_id
        self._to_broker(mqtt.subscribe(packet.msg_id, name, max(sn.qos_of(packet.flags), 0)))

    def _on_unsubscribe(self, packet: sn.Unsubscribe, now: float) -> None:
        name, _ = self._topics.wanted(packet.flags & 3, packet.topic)
        if name is not None and packet.msg_id:
            self._to_broker(mqtt.unsubscribe(packet.msg_id, name))
        else:  # there is no such subscription
            self._to_device(sn.UnsubAck(packet.msg_id))

    def _on_pingreq(self, packet: sn.PingReq, now: float) -> None:
        if self.state is State.ASLEEP and packet.client_id:
            self.state = State.AWAKE
            self._outbox.set_open(True, now)
        elif self.state is State.ACTIVE:
            self._to_device(sn.PingResp())

    def _on_disconnect(self, packet: sn.Disconnect, now: float) -> None:
        if packet.duration_s and self.state in _JOINED:
            self.state = State.ASLEEP
            self._outbox.set_open(False, now)
            self._supervise(packet.duration_s, now)
            self.effects.append(effect.Note("asleep", f"{packet.duration_s} s"))
        elif self.state is not State.DISCONNECTED:
            self._to_broker(mqtt.disconnect())
            self._leave("by_client")
        self._to_device(sn.Disconnect())

    def _on_will_update(self, packet: sn.Packet, now: float) -> None:
        """MQTT 3.1.1 cannot change the will of a connection."""
        answer = sn.WillTopicResp if isinstance(packet, sn.WillTopicUpd) else sn.WillMsgResp
        self._to_device(answer(sn.NOT_SUPPORTED))

    def _become_active(self, now: float) -> None:
        self.state = State.ACTIVE
        self._outbox.set_open(True, now)

    def _sleep_again(self, now: float) -> None:
        """Let an awake client sleep again once all buffered messages are sent (section 6.14)."""
        if self.state is State.AWAKE and self._outbox.empty:
            self._to_device(sn.PingResp())
            self.state = State.ASLEEP
            self._outbox.set_open(False, now)

    # ---- from the broker ----

    def on_broker_open(self) -> None:
        """Send CONNECT on a new broker connection, without keep-alive: the gateway supervises."""
        clean = bool(self._connect.flags & sn.CLEAN)
        self._to_broker(mqtt.connect(self.client_id, 0, clean, self._will))

    def on_broker_closed(self, reason: str) -> None:
        """Disconnect the client, since the broker is gone or unreachable."""
        if self.state is State.OPENING:
            self._to_device(sn.ConnAck(sn.CONGESTION))
            self._leave(reason)
        elif self.state in _JOINED:
            self._to_device(sn.Disconnect())
            self._leave(reason)

    def on_broker_packet(self, packet: mqtt.Packet, now: float) -> None:
        """Handle a packet that the broker sent to this client.

        Raises:
            mqtt.Malformed: it violates MQTT.
        """
        if packet.kind == mqtt.CONNACK:
            self._on_connack(packet, now)
        elif packet.kind == mqtt.PUBLISH:
            self._outbox.add(mqtt.parse_publish(packet), now)
        elif packet.kind in self._answers:
            self._answers[packet.kind](mqtt.packet_id(packet))
        elif packet.kind == mqtt.PUBREL:
            self._outbox.on_broker_pubrel(mqtt.packet_id(packet), now)
        elif packet.kind == mqtt.SUBACK:
            self._on_suback(mqtt.packet_id(packet), packet.body[2:])

    def _on_connack(self, packet: mqtt.Packet, now: float) -> None:
        if self.state is not State.OPENING:
            return
        if packet.body[1:] != b"\0":
            self._to_device(sn.ConnAck(sn.NOT_SUPPORTED))
            self._leave("refused_by_broker")
            return
        self._to_device(sn.ConnAck(sn.ACCEPTED))
        self._supervise(self._connect.duration_s, now)
        self.effects.append(effect.Note("connected"))
        self._become_active(now)

    def _on_suback(self, msg_id: int, codes: bytes) -> None:
        if msg_id not in self._subscribed:
            return
        if not codes:
            raise mqtt.Malformed("SUBACK without return code")
        name, kind, topic_id = self._subscribed.pop(msg_id)
        refused = codes[:1] >= bytes([mqtt.FAILURE])
        if topic_id and not refused:
            self._topics.learned(name, kind, topic_id)
        flags = sn.make_flags(0 if refused else codes[0])
        code = sn.NOT_SUPPORTED if refused else sn.ACCEPTED
        self._to_device(sn.SubAck(flags, topic_id, msg_id, code))
