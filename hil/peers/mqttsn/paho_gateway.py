"""Eclipse Paho's MQTT-SN gateway as a second peer, if the program MQTT-SNGateway is on PATH.

Its default configuration names a public broker and a multicast group. Here it uses the broker of
this server, and the all-hosts group on the loopback interface, which needs no membership report.
Known limits: QoS -1 crashes it and is disabled; a predefined name cannot be registered, so none is
predefined; it keeps at most ten messages per client in flight.
"""

from __future__ import annotations

import signal

from hil.design import addressing
from hil.peers import base
from hil.peers.mqtt import mosquitto
from hil.system import netns, processes, tools

PROGRAM = "MQTT-SNGateway"
_ALL_HOSTS = "224.0.0.1"
_CONF = """\
GatewayID=1
GatewayName=thinwire
MaxNumberOfClients=1000
KeepAlive=60
BrokerName=127.0.0.1
BrokerPortNo={broker}
BrokerSecurePortNo={broker}
AggregatingGateway=NO
QoS-1=NO
Forwarder=NO
PredefinedTopic=NO
ClientAuthentication=NO
GatewayPortNo={port}
MulticastPortNo={multicast}
MulticastIP={group}
MulticastTTL=1
ShearedMemory=NO
"""


_MULTICAST_PORT = 1887


def configuration(port: int, multicast: int, broker: int) -> str:
    """Return the text of gateway.conf."""
    return _CONF.format(port=port, multicast=multicast, broker=broker, group=_ALL_HOSTS)


class PahoGateway(mosquitto.GatewayServer):
    """A mosquitto, its subscriber, and the gateway in front of it."""

    name, port = "paho", addressing.broker_port("paho")

    def start_front(self) -> None:
        path = str(tools.program(PROGRAM))
        conf = self.folder / "gateway.conf"
        ports = addressing.port("paho"), _MULTICAST_PORT, self.port
        conf.write_text(configuration(*ports), encoding="utf-8")
        netns.batch("ip", self.namespace, [f"route replace {_ALL_HOSTS} dev lo"])
        child = processes.spawn([path, "-f", str(conf)], self.namespace, self.folder / "paho.out")
        child.ends_on = signal.SIGINT  # it ignores SIGTERM
        self.children.append(child)
        base.wait_bound(child, "udp", ports[0])
