"""MQTT clients: publishers to the device's topic, and subscribers to the topic it publishes to."""

from __future__ import annotations

from hil.peers.mqtt import codec as mqtt
from hil.peers.stream import StreamClient, StreamPublisher


class _Session(StreamClient):
    """An MQTT session."""

    def greeting(self) -> bytes:
        self._stream = mqtt.Stream()
        return mqtt.connect(self.name.encode())

    def farewell(self) -> bytes:
        return mqtt.disconnect()

    def data_received(self, data: bytes) -> None:
        for packet in self._stream.feed(data):
            if packet.kind in {mqtt.CONNACK, mqtt.SUBACK} and mqtt.refused(packet):
                self.note("refused")
                self.drop()
                return
            if packet.kind == mqtt.CONNACK:
                self.note("connected")
                self.start()
            else:
                self.packet(packet)

    def start(self) -> None:
        """Called when the session is up."""

    def packet(self, packet: mqtt.Packet) -> None:
        """Handle a packet other than CONNACK."""


class _Receiver(_Session):
    """Receives messages and acknowledges them at QoS 1 and 2."""

    _incoming: set[int]

    def take(self, body: bytes) -> None:
        """Handle a message; at QoS 2 only its first copy."""
        self.received(body)

    def answer(self, packet: mqtt.Packet) -> None:
        """Handle a PUBLISH or a PUBREL; ignore other packets."""
        if packet.kind == mqtt.PUBLISH:
            message = mqtt.parse_publish(packet)
            if message.qos < 2 or message.packet_id not in self._incoming:
                self.take(message.payload)
            if message.qos == 1:
                self.send(mqtt.acknowledge(mqtt.PUBACK, message.packet_id))
            elif message.qos == 2:
                self._incoming.add(message.packet_id)
                self.send(mqtt.acknowledge(mqtt.PUBREC, message.packet_id))
        elif packet.kind == mqtt.PUBREL:
            self._incoming.discard(mqtt.packet_id(packet))
            self.send(mqtt.acknowledge(mqtt.PUBCOMP, mqtt.packet_id(packet)))


class Publisher(StreamPublisher, _Receiver):
    """Publishes to the device's topic; with `task.listen`, also subscribes to the device's own."""

    def start(self) -> None:
        self._incoming: set[int] = set()
        if self.task.listen:
            self.send(mqtt.subscribe(0xFFFF, self.task.listen.encode(), self.task.qos))
        if self.task.lead_s is None:
            super().start()

    def publish(self, seq: int, body: bytes) -> None:
        identifier = seq % 0xFFFF + 1 if self.task.qos else 0
        message = mqtt.Message(self.task.topic.encode(), body, self.task.qos, identifier)
        self.send(mqtt.publish(message))
        if not self.task.qos:
            self._sent_ns.pop(seq)  # there will be no answer

    def packet(self, packet: mqtt.Packet) -> None:
        if packet.kind == mqtt.PUBREC:
            self.send(mqtt.acknowledge(mqtt.PUBREL, mqtt.packet_id(packet)))
        elif packet.kind in {mqtt.PUBACK, mqtt.PUBCOMP}:
            low = mqtt.packet_id(packet) - 1  # the oldest message with this identifier
            self.acked(next((s for s in self._sent_ns if s % 0xFFFF == low), -1))
        else:
            self.answer(packet)

    def take(self, body: bytes) -> None:
        """Begin to publish `task.lead_s` after the device's first message."""
        if self.task.lead_s is not None:
            self._loop.call_later(self.task.lead_s, super().start)


class Subscriber(_Receiver):
    """Receives the device's messages; acknowledges at QoS 1 and 2."""

    paced = False

    @property
    def inbox(self) -> str:
        """The topic to subscribe to."""
        return self.task.topic

    def start(self) -> None:
        self._incoming: set[int] = set()
        self.send(mqtt.subscribe(1, self.inbox.encode(), self.task.qos))

    def joined_topic(self) -> None:
        """Called when the subscription is confirmed."""
        self.ready = True

    def packet(self, packet: mqtt.Packet) -> None:
        if packet.kind == mqtt.SUBACK:
            self.joined_topic()
        else:
            self.answer(packet)
