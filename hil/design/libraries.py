"""The libraries of the published studies: firmware of the board esp8266 in which one of them has
the place of our engine (firmware/libraries)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hil.design import plan
from hil.errors import InputError

BOARD = "esp8266"
# Library, an environment of firmware/boards/esp8266/platformio.ini -> the modes that it speaks.
MODES = {
    "arduinomqtt": ("mqtt-qos0", "mqtt-qos1", "mqtt-qos2"),
    "espcoap": ("coap-con",),
    "pubsubclient": ("mqtt-qos0",),
    "websockets": ("websocket-ping", "websocket-plain"),
}


def check(parameters: Mapping[str, Any], board: str, source: str) -> None:
    """Only the ESP8266 runs a library; a library has modes of its own, and no TLS.

    Raises:
        InputError: the trial asks for something else.
    """
    library = parameters.get("library")
    if library is None:
        return
    if board != BOARD:
        raise InputError(
            source, "library", f"does not apply to the board {board}", f"write 'board: {BOARD}'"
        )
    if plan.secured(parameters):
        raise InputError(source, "security", f"{library} has no TLS here", "remove it")
    if parameters["mode"] not in MODES[library]:
        raise InputError(
            source,
            "library",
            f"{library} does not speak {parameters['mode']}",
            f"set mode to {' or '.join(MODES[library])}",
        )
