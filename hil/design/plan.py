"""The laboratory's address plan: the one place for names, addresses and ports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NETWORK_BITS = 16
NETMASK = "255.255.0.0"
BROADCAST = "10.77.255.255"
SERVER_IP = "10.77.0.1"
SERVER_MAC = "02:54:57:00:00:fe"
BOARD_IP = "10.77.1.1"
BOARD_MAC = "5c:cf:7f:00:00:01"  # Espressif's prefix
BOARD_ID = "b1"
TOPIC = "tw/data"
# What the device consumes from; what it publishes goes to another queue, which a consumer of the
# laboratory empties.
BOARD_QUEUE = BOARD_ID

# The server's interface, in the namespace of the wired side; the capture listens here.
WIRED = "wired0"

# A second peer has the port of the first: they never stand side by side.
PORTS = {
    "mqtt": 1883,
    "mqttsn": 1885,
    "mqttsn-broker": 1884,
    "paho": 1885,
    "paho-multicast": 1887,
    "paho-broker": 1888,
    "coap": 5683,
    "libcoap": 5683,
    "http": 8080,
    "websocket": 8081,
    "amqp": 5672,
    "tcp": 7,
    "udp": 7,
}


def server(parameters: Mapping[str, Any]) -> str:
    """The server of a trial with these parameters: its protocol's own, or the peer they name."""
    peer = str(parameters.get("peer", "default"))
    return str(parameters["protocol"]) if peer == "default" else peer
