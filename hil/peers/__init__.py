"""The peers of the device, on the wired side: servers and loads, processes with a log.

One room a protocol; `base` says what a server is, `client` what a client of a load.
"""

from __future__ import annotations

from hil.peers.amqp.rabbitmq import RabbitMq
from hil.peers.base import Server
from hil.peers.cloud.server import Cloud
from hil.peers.coap.libcoap import LibcoapDtlsServer, LibcoapServer
from hil.peers.coap.server import CoapServer
from hil.peers.http.server import HttpServer
from hil.peers.mqtt.mosquitto import Mosquitto
from hil.peers.mqttsn.paho_gateway import PahoGateway
from hil.peers.mqttsn.server import MqttSnGateway
from hil.peers.raw.server import RawTcpServer, RawUdpServer
from hil.peers.websocket.server import WebSocketServer

# Each protocol's own, by its name, and the second peers, by the name that a trial selects.
SERVERS: dict[str, type[Server]] = {
    "amqp": RabbitMq,
    "cloud": Cloud,
    "coap": CoapServer,
    "http": HttpServer,
    "libcoap": LibcoapServer,
    "libcoaps": LibcoapDtlsServer,
    "mqtt": Mosquitto,
    "mqttsn": MqttSnGateway,
    "paho": PahoGateway,
    "tcp": RawTcpServer,
    "udp": RawUdpServer,
    "websocket": WebSocketServer,
}
