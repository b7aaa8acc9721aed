"""What a board is: something with a serial log that can be switched on with a firmware."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from hil.base.errors import TrialError
from hil.design.facts import Facts
from hil.rig.boards import emulators
from hil.rig.links.base import BoardPort, Plug


class Board(ABC):
    """One board.

    Attributes:
        image: the folder of firmware/boards with the firmware that it runs.
        program: the file that it runs, below the project; the image's own where it is empty.
        emulated: whether it runs in an emulator of emulators.py.
        plug: how it is joined to its link. Where that is an interface of the kernel, the capture
            is its own; else it is the servers'.
        secure: beside its image the one with TLS and DTLS, by the version of TLS; where it is
            empty, the image itself has them.
        own_images: beside its image those of protocols that it has not, by the protocol; with TLS
            the name has the same addition as that of `secure`.
        library_image: beside its image the one with a library in the engines' place, {library}.
        ends_itself: whether it stops, and logs `end`, when the trial's time is over.
        made_by: the command that builds it; {image} is the folder, {name} that of the file, without
            its ending.
        log: the file that its log goes to, one JSON object a line.
        halt_ps: when it waits for a debugger (TrialRequest).
        facts: those of its trial.
    """

    image: str
    program = ""
    secure: ClassVar[dict[str, str]] = {}
    own_images: ClassVar[dict[str, str]] = {}
    library_image = "{library}.bin"
    emulated = False
    plug = Plug.NETDEV
    ends_itself = True
    made_by = (
        "cmake -S firmware/boards/{image} -B build/firmware/{image} -G Ninja"
        " && cmake --build build/firmware/{image}"
    )
    log: Path
    halt_ps: int | None = None
    facts: Facts | None = None

    @classmethod
    def runs(cls) -> str:
        """The file that it runs, below the project."""
        return cls.program or f"build/firmware/{cls.image}/thinwire.elf"

    def __init__(self, folder: Path, emulator: str = emulators.DEFAULT) -> None:
        """Create a board with its files in `folder`. Only an emulated board uses `emulator`."""
        self.folder, self.emulator = folder, emulator
        self.log = folder / "board.jsonl"

    @classmethod
    def config(cls, document: dict[str, Any], nonce: str) -> str:
        """Return the configuration line for the trial `document` (trial.json), or that of each of
        its devices, one a line."""
        from hil.rig.boards import config  # noqa: PLC0415 - no part of the machine's image

        return config.lines(document, nonce, cls.secure)

    @classmethod
    def check(cls, firmware: Path) -> None:
        """Check a firmware of the user's own before the trial.

        Raises:
            InputError: the board cannot run it.
        """
        return

    def install(self, firmware: Path, config_line: str) -> None:
        """Do what needs time before the trial begins; the rig calls it before `power_on`.

        Raises:
            LabError: it fails.
        """
        return

    def summary(self) -> dict[str, Any]:
        """Return what lab.json states about the board, after `power_off`."""
        return {}

    @abstractmethod
    def power_on(self, firmware: Path, config_line: str, port: BoardPort) -> None:
        """Start the firmware with its configuration line, at a port of the link."""

    def reset(self, power_lost: bool) -> None:
        """Reset the board while it runs, or interrupt its power.

        Raises:
            TrialError: this board cannot be reset.
        """
        raise TrialError(f"the board {self.image} cannot be reset")

    @abstractmethod
    def problem(self) -> str:
        """Return why the board stopped, or an empty text."""

    @abstractmethod
    def power_off(self) -> None:
        """Stop the board."""
