"""Libraries of other authors, one of which takes the engine's place in a board's firmware
(firmware/libraries): where each runs, and what it supports."""

from __future__ import annotations

from dataclasses import dataclass

# The board with a chip, whose radio has parameters of its own.
BOARD = "esp8266"
EMULATED = "lx106"
_QOS = ("mqtt-qos0", "mqtt-qos1", "mqtt-qos2")
_WEBSOCKET = ("websocket-ping", "websocket-plain")


@dataclass(frozen=True)
class Library:
    """A library.

    Attributes:
        modes: those that it supports.
        boards: those for whose firmware there is a build with it.
        roles: what a device with it can do.
    """

    modes: tuple[str, ...]
    boards: tuple[str, ...]
    roles: tuple[str, ...] = ("publish", "echo")


# On the emulated board libraries for Arduino and for Espressif's SDK are named with their release,
# as in firmware/libraries/sources.yaml.
LIBRARIES = {
    "arduino-mqtt-2.4.3": Library(_QOS, (EMULATED,)),
    "arduino-mqtt-2.5.3": Library(_QOS, (EMULATED,)),
    "arduinomqtt": Library(_QOS, (BOARD,)),
    "arduinomqtt-1.5.1": Library(_QOS, (EMULATED,)),
    "arduinomqtt-1.6.0": Library(_QOS, (EMULATED,)),
    "espcoap": Library(("coap-con",), (BOARD,)),
    "espcoap-2018": Library(("coap-con",), (EMULATED,)),
    "espcoap-2021": Library(("coap-con",), (EMULATED,)),
    "libcoap": Library(("coap-con", "coap-non"), (EMULATED,)),
    "lwipmqtt": Library(_QOS, (EMULATED,)),
    "pubsubclient": Library(("mqtt-qos0",), (BOARD,)),
    "pubsubclient-2.6": Library(("mqtt-qos0",), (EMULATED,)),
    "pubsubclient-2.7": Library(("mqtt-qos0",), (EMULATED,)),
    "pubsubclient-2.8": Library(("mqtt-qos0",), (EMULATED,)),
    "rtos-mqtt-3.2": Library(_QOS, (EMULATED,), ("publish", "subscribe")),
    "websockets": Library(_WEBSOCKET, (BOARD,)),
    "websockets-2.1.0": Library(("websocket-plain",), (EMULATED,)),
    "websockets-2.3.0": Library(_WEBSOCKET, (EMULATED,)),
    "websockets-2.7.2": Library(_WEBSOCKET, (EMULATED,)),
}


def on(board: str) -> list[str]:
    """Return the libraries for a board, sorted."""
    return [name for name, library in LIBRARIES.items() if board in library.boards]
