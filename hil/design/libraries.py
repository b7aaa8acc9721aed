"""Libraries of other authors, one of which takes the engine's place in a board's firmware
(firmware/libraries): where each runs, and what it supports."""

from __future__ import annotations

from dataclasses import dataclass

# The board with a chip, whose radio has parameters of its own.
BOARD = "esp8266"
EMULATED = "lx106"
_QOS = ("mqtt-qos0", "mqtt-qos1", "mqtt-qos2")


@dataclass(frozen=True)
class Library:
    """A library.

    Attributes:
        modes: those that it supports.
        boards: those for whose firmware there is a build with it.
    """

    modes: tuple[str, ...]
    boards: tuple[str, ...]


LIBRARIES = {
    "arduinomqtt": Library(_QOS, (BOARD,)),
    "espcoap": Library(("coap-con",), (BOARD,)),
    "libcoap": Library(("coap-con", "coap-non"), (EMULATED,)),
    "lwipmqtt": Library(_QOS, (EMULATED,)),
    "pubsubclient": Library(("mqtt-qos0",), (BOARD,)),
    "websockets": Library(("websocket-ping", "websocket-plain"), (BOARD,)),
}


def on(board: str) -> list[str]:
    """Return the libraries for a board, sorted."""
    return [name for name, library in LIBRARIES.items() if board in library.boards]
