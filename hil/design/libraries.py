"""The libraries of the published studies, one of which replaces our engine in firmware of the board
esp8266 (firmware/libraries)."""

from __future__ import annotations

BOARD = "esp8266"
# Library, an environment of firmware/boards/esp8266/platformio.ini -> the modes that it supports.
MODES = {
    "arduinomqtt": ("mqtt-qos0", "mqtt-qos1", "mqtt-qos2"),
    "espcoap": ("coap-con",),
    "pubsubclient": ("mqtt-qos0",),
    "websockets": ("websocket-ping", "websocket-plain"),
}
