"""The peers of the device, on the wired side: servers and loads, processes with a log.

One room a protocol; `base` says what a server is, `client` what a client of a load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hil.base.registry import Registry
from hil.peers.base import Server

if TYPE_CHECKING:
    from hil.peers.client import LoadClient

# Each protocol's own, by its name, and the second peers, by the name that a trial selects.
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
        "mqttsn": "mqttsn.server:MqttSnGateway",
        "paho": "mqttsn.paho_gateway:PahoGateway",
        "tcp": "raw.server:RawTcpServer",
        "udp": "raw.server:RawUdpServer",
        "websocket": "websocket.server:WebSocketServer",
    },
)

# Protocol and kind of load (hil/design/loops.py) -> what the load's clients are.
CLIENTS: Registry[tuple[str, str], LoadClient] = Registry(
    "hil.peers",
    {
        ("mqtt", "publish"): "mqtt.load:Subscriber",
        ("mqtt", "subscribe"): "mqtt.load:Publisher",
        ("mqtt", "answer"): "mqtt.closed_loop:Answerer",
        ("mqtt", "echo"): "mqtt.closed_loop:Asker",
        ("mqttsn", "publish"): "mqtt.load:Subscriber",
        ("mqttsn", "subscribe"): "mqtt.load:Publisher",
        ("amqp", "subscribe"): "amqp.load:Publisher",
        ("coap", "serve"): "coap.load:Requester",
        ("http", "serve"): "http.load:Requester",
        ("websocket", "answer"): "websocket.load:Answerer",
        ("websocket", "echo"): "websocket.load:Asker",
    },
)
