"""Kinds of machine: most servers share one image and snapshot; a heavy one has its own.

RabbitMQ takes longer to start than all others together and never quite idles, so it would slow
every trial. Second peers stand apart, too, so that who does not have or want them gets the same
machine. These images are built and booted when a trial first needs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from hil.design.protocols import servers


@dataclass(frozen=True)
class Flavour:
    """A kind of machine: its name, its memory, whether RabbitMQ is in it, and what else: programs,
    Python modules, and files of the project or of Python packages."""

    name: str
    memory_mib: int = 512
    rabbitmq: bool = False
    programs: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


COMMON = Flavour("common")


def of(server: str) -> Flavour:
    """The kind of machine that has the server of this name."""
    machine = servers()[server].machine
    if not machine:
        return COMMON
    lists = {key: tuple(value) for key, value in machine.items() if isinstance(value, list)}
    return Flavour(**machine | lists)


@cache
def flavours() -> dict[str, Flavour]:
    """Every kind of machine by its name."""
    kinds = [COMMON, *(of(server) for server in servers())]
    return {kind.name: kind for kind in kinds}
