"""Kinds of machine: most servers share one image and snapshot; a heavy one has its own.

RabbitMQ takes longer to start than all others together and never quite idles, so it would slow
every trial. Its image is built and booted when a trial first needs it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flavour:
    """A kind of machine: its name, its memory, and whether RabbitMQ is in it."""

    name: str
    memory_mib: int
    rabbitmq: bool = False


COMMON = Flavour("common", 512)
FLAVOURS = {"common": COMMON, "amqp": Flavour("amqp", 1024, rabbitmq=True)}


def of(protocol: str) -> Flavour:
    """The kind of machine that has the server of `protocol`."""
    return FLAVOURS.get(protocol, COMMON)
