"""Kinds of machine: most servers share one image and snapshot; a heavy one has its own.

RabbitMQ takes longer to start than all others together and never quite idles, so it would slow
every trial. Second peers stand apart, too, so that who does not have or want them gets the same
machine. These images are built and booted when a trial first needs them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flavour:
    """A kind of machine: its name, its memory, whether RabbitMQ is in it, and more programs."""

    name: str
    memory_mib: int
    rabbitmq: bool = False
    programs: tuple[str, ...] = ()


COMMON = Flavour("common", 512)
FLAVOURS = {
    "common": COMMON,
    "amqp": Flavour("amqp", 1024, rabbitmq=True),
    "libcoap": Flavour("libcoap", 512, programs=("coap-server-notls",)),
    "paho": Flavour("paho", 512, programs=("MQTT-SNGateway",)),
}


def of(server: str) -> Flavour:
    """The kind of machine that has the server of this name."""
    return FLAVOURS.get(server, COMMON)
