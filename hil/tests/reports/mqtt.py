"""MQTT sessions on a wire: what a device and its broker say to each other."""

from __future__ import annotations

from hil.peers.mqtt import codec
from hil.tests.reports.wire import Connection, Wire

PORT = 1883
TOPIC = b"a/t"


def connect(
    wire: Wire,
    client: bytes = b"dev",
    clean: bool = True,
    present: bool = False,
    *,
    own: int = 50000,
    sequences: tuple[int, int] = (1000, 5000),
) -> Connection:
    """A connection on which the broker has accepted a CONNECT."""
    connection = wire.connect(PORT, own, sequences)
    connection.up(codec.connect(client, 60, clean))
    connection.down(bytes([codec.CONNACK << 4, 2, present, 0]), 0.01)
    connection.acknowledge(True)
    return connection


def message(number: int, size: int = 50, qos: int = 1, dup: bool = False) -> bytes:
    """A PUBLISH of `size` bytes."""
    return codec.publish(codec.Message(TOPIC, b"x" * size, qos, number, dup=dup))


def publish(connection: Connection, number: int, size: int = 50) -> None:
    """A PUBLISH at QoS 1, acknowledged 20 ms later."""
    connection.up(message(number, size))
    connection.down(codec.acknowledge(codec.PUBACK, number), 0.005)
    connection.acknowledge(True)
