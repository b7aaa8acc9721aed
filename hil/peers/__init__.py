"""The peers of the device, on the wired side: servers and loads, each a process with a log.

Each protocol has a folder; `client.py` is the interface of a load's client.
Imports: base, design, system.
Open first: `base.py`, the interface of a server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hil.base.registry import Registry
from hil.peers.base import Server

if TYPE_CHECKING:
    from hil.peers.client import LoadClient

# The default server of each protocol by the protocol's name, second peers by their own names.
SERVERS: Registry[str, Server] = Registry(
    "hil.peers",
    {
        "amqp": "amqp.rabbitmq:RabbitMq",
        "cloud": "cloud.server:Cloud",
        "coap": "coap.server:CoapServer",
        "http": "http.server:HttpServer",
        "libcoap": "coap.libcoap:LibcoapServer",
        "libcoaps": "coap.libcoap:LibcoapDtlsServer",
        "mqtt": "mqtt.mosquitto:Mosquitto",
        "mqtt5": "mqtt.mosquitto:Mosquitto5",
        "mqttsn": "mqttsn.server:MqttSnGateway",
        "oscore": "coap.oscore:OscoreServer",
        "paho": "mqttsn.paho_gateway:PahoGateway",
        "program": "program:ProgramServer",
        "tcp": "raw.server:RawTcpServer",
        "udp": "raw.server:RawUdpServer",
        "websocket": "websocket.server:WebSocketServer",
    },
)

# Protocol and kind of load (Facts.load) -> the class of the load's clients.
CLIENTS: Registry[tuple[str, str], LoadClient] = Registry(
    "hil.peers",
    {
        ("mqtt", "publish"): "mqtt.load:Subscriber",
        ("mqtt", "subscribe"): "mqtt.load:Publisher",
        ("mqtt", "answer"): "mqtt.closed_loop:Answerer",
        ("mqtt", "echo"): "mqtt.closed_loop:Asker",
        ("mqtt5", "publish"): "mqtt.load:Subscriber",
        ("mqtt5", "subscribe"): "mqtt.load:Publisher",
        ("mqtt5", "answer"): "mqtt.closed_loop:Answerer",
        ("mqtt5", "echo"): "mqtt.closed_loop:Asker",
        ("mqttsn", "publish"): "mqtt.load:Subscriber",
        ("mqttsn", "subscribe"): "mqtt.load:Publisher",
        ("amqp", "subscribe"): "amqp.load:Publisher",
        ("coap", "serve"): "coap.load:Requester",
        ("http", "serve"): "http.load:Requester",
        ("websocket", "answer"): "websocket.load:Answerer",
        ("websocket", "echo"): "websocket.load:Asker",
    },
)
