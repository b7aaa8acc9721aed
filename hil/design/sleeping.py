"""Deep sleep: the device is off between its connections and wakes by a reset."""

from __future__ import annotations

from hil.design.facts import Facts

NAME = "deep_sleep"
# No other board's image supports it: Zephyr's loses all memory, and the ESP8266's would have to
# keep its whole configuration.
BOARD = "lx106"


def beyond(board: str, facts: Facts) -> bool:
    """Return whether the trial needs deep sleep and the board does not support it."""
    return facts.deep_sleep and board != BOARD
