"""The MQTT-SN peer: the laboratory's gateway, its own mosquitto, and a subscriber that logs.

The log has the messages that reached the subscriber, as for MQTT, and the gateway's events. The
gateway keeps its state in memory, so a restart loses every session.
"""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path

from hil.design import addressing
from hil.peers import asyncserver
from hil.peers.log import Log
from hil.peers.mqtt import mosquitto
from hil.peers.mqttsn.gateway import Gateway, Settings
from hil.system import processes

NAME = "mqttsn"
PREDEFINED = {1: addressing.TOPIC.encode()}  # the default of the device's topic_id (firmware/core)
# Section 7.2: T_ADV should be longer than 15 minutes.
_ADVERTISE_S = 960


async def listen(log: Log, address: tuple[str, int], settings: Settings) -> Gateway:
    """Bind the gateway to `address` and join its broker."""
    gateway = Gateway(settings, log)
    await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: gateway, local_addr=address, allow_broadcast=True
    )
    await gateway.join_broker()
    return gateway


def merge(target: Path, other: Path) -> None:
    """Merge two logs, sorted by their timestamps, which all have the same width."""
    lines = [line for file in (target, other) if file.exists() for line in file.open()]
    target.write_text("".join(sorted(lines)), encoding="utf-8")


class MqttSnGateway(mosquitto.GatewayServer):
    """See the module."""

    name, port = NAME, addressing.broker_port("mqttsn")

    @property
    def _events(self) -> Path:
        return self.folder / "gateway.jsonl"

    def start_front(self) -> None:
        ready = self.folder / "gateway.ready"
        ready.unlink(missing_ok=True)
        address = ("0.0.0.0", addressing.port("mqttsn"))
        settings = Settings(
            ("127.0.0.1", self.port),
            PREDEFINED,
            advertise_to=(addressing.BROADCAST, address[1]),
            advertise_s=_ADVERTISE_S,
        )
        bound = functools.partial(listen, address=address, settings=settings)
        child = processes.fork(
            "the MQTT-SN gateway",
            functools.partial(asyncserver.serve, NAME, bound, self._events, ready),
            self.namespace,
            self.folder / "gateway.out",
        )
        self.children.append(child)
        child.wait_for(ready.exists)

    def stop(self) -> None:
        super().stop()
        if self._events.exists():
            merge(self.log, self._events)
            self._events.unlink()
