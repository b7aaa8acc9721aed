"""Closed loops over MQTT: requests on the device's topic, answers on that topic with `/echo`.

QoS is the task's in both directions. Messages of the broker are acknowledged as their QoS requires.
"""

from __future__ import annotations

from hil.peers import closed_loop
from hil.peers.mqtt import codec as mqtt
from hil.peers.mqtt.load import Subscriber

_ANSWERS = "/echo"  # firmware/core/protocols/mqtt/mqtt.c


class _Client(Subscriber, closed_loop.ClosedLoopClient):
    """Subscribes to one of the two topics and publishes on the other."""

    _next_id = 0

    @property
    def _outbox(self) -> str:
        """The topic to publish on."""
        return self.task.topic + _ANSWERS

    def put(self, body: bytes) -> None:
        self._next_id = self._next_id % 0xFFFF + 1
        identifier = self._next_id if self.task.qos else 0
        message = mqtt.Message(self._outbox.encode(), body, self.task.qos, identifier)
        self.send(mqtt.publish(message))

    def take(self, body: bytes) -> None:
        self.on_message(body)

    def packet(self, packet: mqtt.Packet) -> None:
        if packet.kind == mqtt.PUBREC:
            self.send(mqtt.acknowledge(mqtt.PUBREL, mqtt.packet_id(packet)))
        super().packet(packet)


class Answerer(closed_loop.Answerer, _Client):
    """Answers what the device publishes."""


class Asker(closed_loop.Asker, _Client):
    """Publishes to the device's topic and waits for each answer."""

    paced = True

    @property
    def inbox(self) -> str:
        return self.task.topic + _ANSWERS

    @property
    def _outbox(self) -> str:
        return self.task.topic

    def joined_topic(self) -> None:
        if not self.ready:
            self.ready = True
            self.ask()
