"""The peers of the device, on the wired side: each a process of its own that logs what arrived."""

from __future__ import annotations

from hil.servers.base import Server
from hil.servers.coap import CoapServer
from hil.servers.mosquitto import Mosquitto

SERVERS: dict[str, type[Server]] = {"mqtt": Mosquitto, "coap": CoapServer}
