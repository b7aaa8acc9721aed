"""What a board is: something with a serial log that can be switched on with a firmware."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from hil.rig.links.base import BoardPort, Plug


class Board(ABC):
    """One board.

    Attributes:
        image: the folder of firmware/boards with the firmware that it runs.
        program: the file that it runs, below the project; the image's own where it is empty.
        emulator: what it runs in, of emulators.py; empty for a board that is not emulated.
        plug: how it is joined to its link. Where that is an interface of the kernel, the capture
            is its own; else it is the servers'.
        secure: beside its image the one with TLS and DTLS, by the version of TLS; where it is
            empty, the image itself has them.
        made_by: the command that builds it; {image} is the folder, {name} that of the file, without
            its ending.
        log: the file that its log goes to, one JSON object a line.
    """

    image: str
    program = ""
    secure: ClassVar[dict[str, str]] = {}
    emulator = ""
    plug = Plug.NETDEV
    made_by = (
        "cmake -S firmware/boards/{image} -B build/firmware/{image} -G Ninja"
        " && cmake --build build/firmware/{image}"
    )
    log: Path

    @classmethod
    def runs(cls) -> str:
        """The file that it runs, below the project."""
        return cls.program or f"build/firmware/{cls.image}/thinwire.elf"

    @abstractmethod
    def __init__(self, folder: Path) -> None:
        """A board whose files lie in `folder`."""

    @abstractmethod
    def power_on(self, firmware: Path, append: str, port: BoardPort) -> None:
        """Start the firmware with its configuration words, at a port of the link."""

    @abstractmethod
    def problem(self) -> str:
        """Why it died, or an empty text."""

    @abstractmethod
    def power_off(self) -> None:
        """Stop it."""
