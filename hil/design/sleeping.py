"""Deep sleep: the device is off between its connections and wakes by a reset."""

from __future__ import annotations

from hil.design import acquisition, libraries
from hil.design.facts import Facts

NAME = "deep_sleep"
# Zephyr's loses all memory.
BOARDS = (libraries.EMULATED, libraries.BOARD)


def beyond(board: str, facts: Facts) -> bool:
    """Return whether the trial needs deep sleep and the board does not support it."""
    return facts.deep_sleep and board not in BOARDS


def other_image(board: str, facts: Facts) -> str:
    """Return what the trial needs whose image on this board has no deep sleep, or ''."""
    if not facts.deep_sleep or board != libraries.BOARD:
        return ""
    return acquisition.other_image(facts, board)


def in_plain_image(board: str) -> bool:
    """Return whether the board's image without TLS has deep sleep."""
    return board == libraries.BOARD
