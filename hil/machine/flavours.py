"""Flavours of the image: most servers share one image and snapshot; a large one has its own.

RabbitMQ with Erlang is 66 of 132 MB, and QEMU as the board's emulator 40 of 106 MB, which each boot
of the machine `uml` would unpack. Second peers also have flavours, so that the common image does
not depend on whether they are installed. These images are built when a trial first needs them.

MQTT 5 and OSCORE have flavours for the machine `qemu` alone. Their servers need nothing beside the
common image, but the ports of MQTT and CoAP, and its snapshot has all servers of a flavour.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from hil.design.protocols import servers
from hil.rig.boards.emulators import PROGRAMS


@dataclass(frozen=True)
class Flavour:
    """A flavour of the image.

    Attributes:
        name: of its servers (`machine` in workflow/protocols.yaml).
        emulator: of the board, if it is not part of this project.
        memory_mib: of the machine.
        rabbitmq: whether it contains RabbitMQ.
        programs, modules, files: further programs, Python modules, and files of the project or of
            Python packages.
    """

    name: str
    emulator: str = ""
    memory_mib: int = 512
    rabbitmq: bool = False
    programs: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def more(self) -> bool:
        """Whether its image holds more than the common one."""
        return bool(self.emulator or self.rabbitmq or self.programs or self.modules or self.files)

    @property
    def label(self) -> str:
        """A name that no other flavour has."""
        return "-".join(filter(None, (self.name, self.emulator)))


COMMON = Flavour("common")


def of(server: str, emulator: str = "") -> Flavour:
    """Return the flavour with the server of this name and this emulator of the board."""
    machine = servers()[server].machine
    lists = {key: tuple(value) for key, value in machine.items() if isinstance(value, list)}
    flavour = Flavour(**machine | lists) if machine else COMMON
    if emulator not in PROGRAMS:
        return flavour
    return replace(flavour, emulator=emulator, programs=(*flavour.programs, PROGRAMS[emulator]))


@cache
def flavours() -> dict[str, Flavour]:
    """Return every flavour by its name."""
    known = [COMMON, *(of(server) for server in servers())]
    return {flavour.name: flavour for flavour in known}
