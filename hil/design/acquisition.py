"""What a board asks its network for before it connects: address, name and time."""

from __future__ import annotations

from typing import Any

from hil.design import addressing
from hil.design.facts import Facts

KEYS = ("address_assignment", "name_resolution", "clock_sync")
# The boards whose firmware has them; of the first it is another image.
BOARDS, IMAGES = ("lx106", "esp8266"), {"lx106": "thinwire-dhcp.elf"}
# The server's name is that in its certificate (firmware/core/config_keys.h).
PEER_NAME, TIME_NAME = "server.thinwire.test", "time.thinwire.test"


def stated(facts: Facts) -> str:
    """Return the first parameter by which the board asks its network for something, or ''."""
    return next((key for key in KEYS if facts.states(key)), "")


def leased(facts: Facts) -> bool:
    """Return whether the board has its address by DHCP."""
    return facts.address_assignment != "static"


def resolves(facts: Facts) -> bool:
    """Return whether the board looks its server's name up."""
    return facts.name_resolution == "dns"


def asks_time(facts: Facts) -> bool:
    """Return whether the board asks a server for the time."""
    return facts.clock_sync == "sntp"


def other_image(facts: Facts, board: str) -> str:
    """Return the parameter, with its value, for which the board needs another image, or ''."""
    if facts.foreign:
        return "a foreign device"
    if facts.library:
        return f"library {facts.library}"
    if facts.protocol == "mqtt5":
        return "MQTT 5"
    if board not in IMAGES:
        return "OSCORE" if facts.protocol == "oscore" else ""
    if facts.secured and facts.tls_version != "1.2":
        return f"tls_version {facts.tls_version}"
    return ""


def words(facts: Facts) -> dict[str, Any]:
    """Return what the board's configuration says about it; None: a key is left out."""
    said: dict[str, Any] = {}
    if leased(facts):
        said |= {"dhcp": 1, "ip": None, "mask": None}
        if facts.address_assignment == "cached":
            said["lease_kept"] = 1
    if resolves(facts):
        said |= {"peer": None, "peer_name": PEER_NAME}
        if not leased(facts):
            said["dns"] = addressing.SERVER_IP
    if asks_time(facts):
        said["time_server"] = TIME_NAME if resolves(facts) else addressing.SERVER_IP
    return said
