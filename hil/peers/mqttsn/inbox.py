"""What a device has published through an MQTT-SN gateway and the broker has not yet completed.

A device repeats what is not answered in time (specification 1.2, section 6.13). At QoS 2 the broker
must see one copy: on one connection a packet identifier that is in use may not be published again
(MQTT 3.1.1, sections 2.3.1 and 4.4). Acknowledgements are still the broker's own, told again when a
copy shows that the device has not heard them.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from hil.peers.mqtt import codec as mqtt
from hil.peers.mqttsn import codec as sn


class Step(Enum):
    """How far the handshake of a QoS 2 message is."""

    PUBLISHED = auto()  # at the broker, whose PUBREC is awaited
    RECEIVED = auto()  # PUBREC told to the device, whose PUBREL is awaited
    RELEASED = auto()  # PUBREL at the broker, whose PUBCOMP is awaited


class Inbox:
    """The messages of one client. `tell` takes packets, `to_broker` MQTT packets."""

    def __init__(
        self, tell: Callable[[sn.Packet], None], to_broker: Callable[[bytes], None]
    ) -> None:
        self._tell, self._to_broker = tell, to_broker
        self._topic_ids: dict[int, int] = {}  # msg_id -> topic_id of QoS 1
        self._steps: dict[int, Step] = {}  # msg_id -> step of QoS 2

    def clear(self) -> None:
        """The session with the broker ends; in a resumed one the broker knows the copies."""
        self._topic_ids.clear()
        self._steps.clear()

    def publish(self, packet: sn.Publish, topic: bytes) -> None:
        """Pass on a PUBLISH, unless it is a copy of a QoS 2 message under way. One without an
        identifier is refused: the broker would end the session (MQTT 3.1.1, section 2.3.1)."""
        qos = max(sn.qos_of(packet.flags), 0)
        if qos and not packet.msg_id:
            self._tell(sn.PubAck(packet.topic_id, 0, sn.NOT_SUPPORTED))
            return
        if qos == 2 and packet.msg_id in self._steps:
            if self._steps[packet.msg_id] is Step.RECEIVED:
                self._tell(sn.PubRec(packet.msg_id))
            return
        if qos == 1:
            self._topic_ids[packet.msg_id] = packet.topic_id
        elif qos == 2:
            self._steps[packet.msg_id] = Step.PUBLISHED
        retain, dup = bool(packet.flags & sn.RETAIN), bool(packet.flags & sn.DUP) and qos > 0
        message = mqtt.Message(topic, packet.data, qos, packet.msg_id, retain, dup)
        self._to_broker(mqtt.publish(message))

    def release(self, msg_id: int) -> None:
        """Pass on a PUBREL, unless its PUBCOMP is on the way. The broker may know one that is not
        known here, from an earlier connection."""
        if not msg_id or self._steps.get(msg_id) is Step.RELEASED:
            return
        if msg_id in self._steps:
            self._steps[msg_id] = Step.RELEASED
        self._to_broker(mqtt.acknowledge(mqtt.PUBREL, msg_id))

    def on_puback(self, msg_id: int) -> None:
        """The broker has a QoS 1 message."""
        self._tell(sn.PubAck(self._topic_ids.pop(msg_id, 0), msg_id, sn.ACCEPTED))

    def on_pubrec(self, msg_id: int) -> None:
        """The broker has a QoS 2 message."""
        if msg_id in self._steps:
            self._steps[msg_id] = Step.RECEIVED
        self._tell(sn.PubRec(msg_id))

    def on_pubcomp(self, msg_id: int) -> None:
        """The broker is done with a QoS 2 message."""
        self._steps.pop(msg_id, None)
        self._tell(sn.PubComp(msg_id))
