"""Kinds of machine: most servers share one image and snapshot; a heavy one has its own.

RabbitMQ takes longer to start than all others together and never quite idles, so it would slow
every trial. Second peers stand apart, too, so that who does not have or want them gets the same
machine. QEMU as the board's emulator is 40 of 106 MB, which each boot of the machine `uml` would
unpack. These images are built and booted when a trial first needs them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from hil.design.protocols import servers
from hil.rig.boards.emulators import PROGRAMS


@dataclass(frozen=True)
class Flavour:
    """A kind of machine: the name of its servers, the board's emulator if that is none of ours, its
    memory, whether RabbitMQ is in it, and what else: programs, Python modules, and files of the
    project or of Python packages."""

    name: str
    emulator: str = ""
    memory_mib: int = 512
    rabbitmq: bool = False
    programs: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What tells it from all others."""
        return "-".join(filter(None, (self.name, self.emulator)))


COMMON = Flavour("common")


def of(server: str, emulator: str = "") -> Flavour:
    """The kind of machine that has the server of this name, and this emulator of the board."""
    machine = servers()[server].machine
    lists = {key: tuple(value) for key, value in machine.items() if isinstance(value, list)}
    kind = Flavour(**machine | lists) if machine else COMMON
    if emulator not in PROGRAMS:
        return kind
    return replace(kind, emulator=emulator, programs=(*kind.programs, PROGRAMS[emulator]))


@cache
def flavours() -> dict[str, Flavour]:
    """Every kind of machine by its name."""
    kinds = [COMMON, *(of(server) for server in servers())]
    return {kind.name: kind for kind in kinds}
