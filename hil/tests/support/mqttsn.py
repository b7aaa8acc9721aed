"""One client of the MQTT-SN gateway's state machine, with a clock and no socket."""

from __future__ import annotations

from hil.peers.mqtt import codec as mqtt
from hil.peers.mqttsn import codec as sn
from hil.peers.mqttsn import effects as effect
from hil.peers.mqttsn.client import Client
from hil.peers.mqttsn.effects import State
from hil.peers.mqttsn.outbox import Limits

RETRY_S, RETRIES = 10.0, 3


class Bench:
    """A client with a clock; what it does is sorted by receiver."""

    def __init__(self) -> None:
        self.client = Client({1: b"tw/data"}, Limits(RETRY_S, RETRIES, 5))
        self.now = 100.0

    def take(self) -> list[effect.Effect]:
        done, self.client.effects[:] = list(self.client.effects), []
        return done

    def device(self, packet: sn.Packet) -> list[effect.Effect]:
        self.client.on_packet(packet, self.now)
        return self.take()

    def broker(self, data: bytes) -> list[effect.Effect]:
        for packet in mqtt.Stream().feed(data):
            self.client.on_broker_packet(packet, self.now)
        return self.take()

    def at(self, seconds: float) -> list[effect.Effect]:
        self.now = seconds
        self.client.on_time(seconds)
        return self.take()

    def joined(self, flags: int = sn.CLEAN, duration_s: int = 60) -> Bench:
        self.device(sn.Connect(flags, 1, duration_s, b"b1"))
        self.client.on_broker_open()
        self.broker(CONNACK)
        assert self.client.state is State.ACTIVE
        return self

    def subscribed(self, qos: int) -> Bench:
        """Joined, and subscribed to "a" by its name under id 1."""
        self.joined()
        self.device(sn.Subscribe(sn.make_flags(qos), 1, b"abc"))
        self.broker(bytes([0x90, 3, 0, 1, qos]))
        return self


CONNACK = b"\x20\2\0\0"


def publish(qos: int, packet_id: int, payload: bytes = b"x", topic: bytes = b"abc") -> bytes:
    return mqtt.publish(mqtt.Message(topic, payload, qos, packet_id))


def to_device(*packets: sn.Packet) -> list[effect.Effect]:
    return [effect.ToDevice(packet) for packet in packets]
