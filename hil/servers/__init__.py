"""The peers of the device, on the wired side: each a process of its own that logs what arrived."""

from __future__ import annotations

from hil.servers.base import Server
from hil.servers.coap import CoapServer
from hil.servers.http import HttpServer
from hil.servers.libcoap import LibcoapServer
from hil.servers.mosquitto import Mosquitto
from hil.servers.mqttsn import MqttSnGateway
from hil.servers.paho_gateway import PahoGateway
from hil.servers.rabbitmq import RabbitMq
from hil.servers.raw import RawTcpServer, RawUdpServer
from hil.servers.websocket import WebSocketServer

# Each protocol's own, by its name, and the second peers, by the name that a trial selects.
SERVERS: dict[str, type[Server]] = {
    "amqp": RabbitMq,
    "coap": CoapServer,
    "http": HttpServer,
    "libcoap": LibcoapServer,
    "mqtt": Mosquitto,
    "mqttsn": MqttSnGateway,
    "paho": PahoGateway,
    "tcp": RawTcpServer,
    "udp": RawUdpServer,
    "websocket": WebSocketServer,
}
