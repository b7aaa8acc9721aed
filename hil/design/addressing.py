"""The laboratory's names and addresses. workflow/protocols.yaml has the ports."""

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
# As many devices as a trial may have. One of these numbers is a byte of an IP address.
DEVICES_MAX = 1000
_DEVICES_PER_BYTE = 250
# As many of them have a security context in the analysis (workflow/R/capture/R/oscore.R).
OSCORE_DEVICES_MAX = 200
TOPIC = "tw/data"
# The AMQP queue that the device consumes. It publishes to another one, which the recorder empties.
BOARD_QUEUE = BOARD_ID

# Interface of a host program that is the device (a laptop), in the namespace of the radio.
LAPTOP = "laptop0"
# Interface of a board with an IP stack of its own, in the same namespace.
BOARD_TAP = "board0"
# The server's interface, in the namespace of the wired side; the capture listens here.
WIRED = "wired0"


def device_id(number: int) -> str:
    """Return the name of a trial's device, whose numbers are 1 to DEVICES_MAX."""
    return f"{BOARD_ID[:-1]}{number}"


def device_mac(number: int) -> str:
    """Return the link-layer address of the device of this number."""
    return f"{BOARD_MAC[:-5]}{number >> 8:02x}:{number & 0xFF:02x}"


def device_ip(number: int) -> str:
    """Return the IP address of the device of this number."""
    third, last = divmod(number - 1, _DEVICES_PER_BYTE)
    return f"{BOARD_IP[:-3]}{third + 1}.{last + 1}"


def is_further(name: str) -> bool:
    """Return whether a sender's name is that of a device other than the first."""
    return name.startswith(BOARD_ID[:-1]) and name[1:].isdecimal() and name != BOARD_ID


def port(name: str) -> int:
    """Return the port of a server. Peers of one protocol share it: they never run together."""
    return servers()[name].port


def broker_port(name: str) -> int:
    """Return the port of the broker behind a gateway."""
    found = servers()[name].broker_port
    assert found, f"{name} has no broker"
    return found
