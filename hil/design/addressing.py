"""The laboratory's address plan: names and addresses; ports stand in the table of protocols."""

from __future__ import annotations

from hil.design.protocols import servers

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

# That of a program of the host which is the device (a laptop), in the namespace of the radio.
LAPTOP = "laptop0"
# That of a board which is Ethernet and IP itself, in the same namespace.
BOARD_TAP = "board0"
# The server's interface, in the namespace of the wired side; the capture listens here.
WIRED = "wired0"


def port(name: str) -> int:
    """The port of the server of this name. A second peer has that of the first: they never stand
    side by side."""
    return servers()[name].port


def broker_port(name: str) -> int:
    """The port of the broker behind the server of this name."""
    found = servers()[name].broker_port
    assert found, f"{name} has no broker"
    return found
