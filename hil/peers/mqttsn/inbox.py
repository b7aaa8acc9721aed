"""Messages that a device has published through an MQTT-SN gateway and the broker has not completed.

A device retransmits what is not answered in time (specification 1.2, section 6.13). At QoS 2 the
broker must see one copy: on one connection, a packet identifier in use must not be published again
(MQTT 3.1.1, sections 2.3.1 and 4.4). Acknowledgements are the broker's own, and are repeated when a
copy shows that the device missed them.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from hil.peers.mqtt import codec as mqtt
from hil.peers.mqttsn import codec as sn


class Step(Enum):
    """Progress of a QoS 2 handshake."""

    PUBLISHED = auto()  # sent to the broker, waiting for PUBREC
    RECEIVED = auto()  # PUBREC sent to the device, waiting for PUBREL
    RELEASED = auto()  # PUBREL sent to the broker, waiting for PUBCOMP


class Inbox:
    """The messages of one client. `to_device` sends MQTT-SN packets, `to_broker` MQTT packets."""

    def __init__(
        self, to_device: Callable[[sn.Packet], None], to_broker: Callable[[bytes], None]
    ) -> None:
        self._to_device, self._to_broker = to_device, to_broker
        self._topic_ids: dict[int, int] = {}  # msg_id -> topic_id of QoS 1
        self._steps: dict[int, Step] = {}  # msg_id -> step of QoS 2

    def clear(self) -> None:
        """Forget all handshakes at the end of a broker session; the broker detects copies."""
        self._topic_ids.clear()
        self._steps.clear()

    def publish(self, packet: sn.Publish, topic: bytes) -> None:
        """Forward a PUBLISH, unless it is a copy of a QoS 2 message in progress. Without an
        identifier it is refused: the broker would close the session (MQTT 3.1.1, section 2.3.1)."""
        qos = max(sn.qos_of(packet.flags), 0)
        if qos and not packet.msg_id:
            self._to_device(sn.PubAck(packet.topic_id, 0, sn.NOT_SUPPORTED))
            return
        if qos == 2 and packet.msg_id in self._steps:
            if self._steps[packet.msg_id] is Step.RECEIVED:
                self._to_device(sn.PubRec(packet.msg_id))
            return
        if qos == 1:
            self._topic_ids[packet.msg_id] = packet.topic_id
        elif qos == 2:
            self._steps[packet.msg_id] = Step.PUBLISHED
        retain, dup = bool(packet.flags & sn.RETAIN), bool(packet.flags & sn.DUP) and qos > 0
        message = mqtt.Message(topic, packet.data, qos, packet.msg_id, retain, dup)
        self._to_broker(mqtt.publish(message))

    def release(self, msg_id: int) -> None:
        """Forward a PUBREL, unless its PUBCOMP is pending. An unknown one is forwarded, too: the
        broker may know it from an earlier connection."""
        if not msg_id or self._steps.get(msg_id) is Step.RELEASED:
            return
        if msg_id in self._steps:
            self._steps[msg_id] = Step.RELEASED
        self._to_broker(mqtt.acknowledge(mqtt.PUBREL, msg_id))

    def on_puback(self, msg_id: int) -> None:
        """Handle the broker's acknowledgement of a QoS 1 message."""
        self._to_device(sn.PubAck(self._topic_ids.pop(msg_id, 0), msg_id, sn.ACCEPTED))

    def on_pubrec(self, msg_id: int) -> None:
        """Handle the broker's receipt of a QoS 2 message."""
        if msg_id in self._steps:
            self._steps[msg_id] = Step.RECEIVED
        self._to_device(sn.PubRec(msg_id))

    def on_pubcomp(self, msg_id: int) -> None:
        """Handle the broker's completion of a QoS 2 message."""
        self._steps.pop(msg_id, None)
        self._to_device(sn.PubComp(msg_id))
