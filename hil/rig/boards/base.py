"""What a board is: something with a serial log that can be switched on with a firmware."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from hil.rig.links.base import BoardPort


class Board(ABC):
    """One board.

    Attributes:
        image: the folder of firmware/boards with the firmware that it runs.
        log: the file that its log goes to, one JSON object a line.
    """

    image: str
    log: Path

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
