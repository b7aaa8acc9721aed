"""Deep sleep: a device that is off between its connections and wakes by a reset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hil.errors import InputError

NAME = "deep_sleep"
# Others have no image that takes it: one of Zephyr loses all memory, and the ESP8266's would have
# to hold its whole configuration, too.
BOARD = "lx106"


def beyond(board: str, parameters: Mapping[str, Any]) -> bool:
    """Whether this board cannot sleep as deeply as the trial asks."""
    return bool(parameters.get(NAME)) and board != BOARD


def check(parameters: Mapping[str, Any], board: str, source: str) -> None:
    """InputError where a board cannot sleep deeply, or has nothing to sleep between."""
    if not parameters.get(NAME):
        return
    if beyond(board, parameters):
        raise InputError(
            source,
            NAME,
            f"does not apply to the board {board}",
            f"write 'board: {BOARD}', or remove it",
        )
    if "connection_messages" not in parameters:
        raise InputError(
            source,
            NAME,
            "a device with a connection that is kept does not sleep",
            "give connection_messages, or remove it",
        )
