"""MQTT clients: publishers to the device's topic, subscribers to what the device publishes."""

from __future__ import annotations

import asyncio
import time
from typing import cast

from hil.codecs import mqtt
from hil.load.client import Client, payload

_RECONNECT_S = 1.0


class MqttClient(Client, asyncio.Protocol):
    """A session that is opened again whenever it ends."""

    _transport: asyncio.Transport | None = None
    _opening: asyncio.Task[None] | None = None
    _over = False

    def begin(self) -> None:
        self._opening = self._loop.create_task(self._open())

    async def _open(self) -> None:
        try:
            await self._loop.create_connection(lambda: self, self.task.address, self.task.port)
        except OSError:
            self.connection_lost(None)

    def end(self) -> None:
        self._over = True
        if self._transport:
            self._transport.write(mqtt.disconnect())
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._stream = mqtt.Stream()
        self.send(mqtt.connect(self.name.encode()))

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        if not self._over:
            self.note("disconnected")
            self._loop.call_later(_RECONNECT_S, self.begin)

    def send(self, data: bytes) -> None:
        if self._transport:
            self._transport.write(data)

    def data_received(self, data: bytes) -> None:
        for packet in self._stream.feed(data):
            if packet.kind == mqtt.CONNACK:
                self.note("connected")
                self.joined()
            else:
                self.packet(packet)

    def joined(self) -> None:
        """The session is up."""

    def packet(self, packet: mqtt.Packet) -> None:
        """A packet other than CONNACK came."""


class Publisher(MqttClient):
    """Publishes at fixed intervals, whether or not the broker has answered yet.

    What cannot be sent for want of a session is lost, and noted.
    """

    _running = False

    def joined(self) -> None:
        if not self._running:
            self._running = True
            self._due = self._loop.time()
            self._publish()

    def _publish(self) -> None:
        if self.finished or self._over:
            return
        seq = self.make()
        body = payload(self.name, seq, time.time_ns() // 1000, self.task.payload_bytes)
        identifier = seq % 0xFFFF + 1 if self.task.qos else 0
        message = mqtt.Message(self.task.topic.encode(), body, self.task.qos, identifier)
        if self._transport:
            self.send(mqtt.publish(message))
            if not self.task.qos:
                self._sent_ns.pop(seq)  # nobody will answer
        else:
            self.failed(seq, "offline")
        self._due += self.task.interval_s
        self._loop.call_at(self._due, self._publish)

    def packet(self, packet: mqtt.Packet) -> None:
        if packet.kind == mqtt.PUBREC:
            self.send(mqtt.acknowledge(mqtt.PUBREL, mqtt.packet_id(packet)))
        elif packet.kind in {mqtt.PUBACK, mqtt.PUBCOMP}:
            low = mqtt.packet_id(packet) - 1  # the oldest message with this identifier
            self.acked(next((s for s in self._sent_ns if s % 0xFFFF == low), -1))


class Subscriber(MqttClient):
    """Receives the device's messages; acknowledges at QoS 1 and 2."""

    paced = False

    def joined(self) -> None:
        self._incoming: set[int] = set()
        self.send(mqtt.subscribe(1, self.task.topic.encode(), self.task.qos))

    def packet(self, packet: mqtt.Packet) -> None:
        if packet.kind == mqtt.SUBACK:
            self.ready = True
        elif packet.kind == mqtt.PUBLISH:
            message = mqtt.parse_publish(packet)
            if message.qos < 2 or message.packet_id not in self._incoming:
                self.received(message.payload)
            if message.qos == 1:
                self.send(mqtt.acknowledge(mqtt.PUBACK, message.packet_id))
            elif message.qos == 2:
                self._incoming.add(message.packet_id)
                self.send(mqtt.acknowledge(mqtt.PUBREC, message.packet_id))
        elif packet.kind == mqtt.PUBREL:
            self._incoming.discard(mqtt.packet_id(packet))
            self.send(mqtt.acknowledge(mqtt.PUBCOMP, mqtt.packet_id(packet)))
