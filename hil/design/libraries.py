"""The libraries of the published studies: firmware of the board esp8266 in which one of them has
the place of our engine (firmware/libraries)."""

from __future__ import annotations

BOARD = "esp8266"
# Library, an environment of firmware/boards/esp8266/platformio.ini -> the modes that it speaks.
MODES = {
    "arduinomqtt": ("mqtt-qos0", "mqtt-qos1", "mqtt-qos2"),
    "espcoap": ("coap-con",),
    "pubsubclient": ("mqtt-qos0",),
    "websockets": ("websocket-ping", "websocket-plain"),
}
