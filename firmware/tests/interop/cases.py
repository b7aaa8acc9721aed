"""What is tried: one case for each mode of each protocol, and the guarantee that it gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One protocol mode: the board's configuration, its peers, and what the mode promises."""

    name: str
    config: str
    peers: tuple[str, ...]
    guarantee: str  # once | least | none
    broker: str = ""  # mosquitto | rabbitmq, started beside the peers
    sender: str = ""  # the board receives: the kind of senders.py that sends to it


def _mqtt(name: str, config: str, guarantee: str) -> Case:
    return Case(
        name, f"proto=mqtt {config}", ("mqtt-subscriber 1883",), guarantee, broker="mosquitto"
    )


def _mqttsn(name: str, config: str, guarantee: str) -> Case:
    peers = ("mqtt-subscriber 1883", "mqttsn-gateway 1883")
    return Case(name, f"proto=mqttsn retry_ms=200 {config}", peers, guarantee, broker="mosquitto")


CASES = (
    _mqtt("mqtt-qos0", "qos=0", "once"),  # TCP alone keeps it while the connection stands
    _mqtt("mqtt-qos1", "qos=1 clean=0", "least"),
    _mqtt("mqtt-qos2", "qos=2 clean=0", "once"),
    _mqttsn("mqttsn-qos-1", "qos=-1 topic_type=predefined topic_id=1", "none"),
    _mqttsn("mqttsn-qos0", "qos=0", "none"),
    _mqttsn("mqttsn-qos1", "qos=1 clean=0", "least"),
    _mqttsn("mqttsn-qos2", "qos=2 clean=0", "once"),
    Case("coap-con", "proto=coap inflight=16", ("coap-server",), "least"),
    Case("coap-non", "proto=coap confirmable=0", ("coap-server",), "none"),
    Case("http-kept", "proto=http port=8080", ("http-server",), "once"),
    Case("http-chunked", "proto=http port=8080 chunked=1", ("http-server",), "once"),
    Case("http-per-request", "proto=http port=8080 keep_alive=0", ("http-server",), "once"),
    Case("websocket", "proto=websocket port=8081", ("websocket-server",), "once"),
    Case(
        "websocket-fragments",
        "proto=websocket port=8081 payload_bytes=200 fragment_bytes=64",
        ("websocket-server",),
        "once",
    ),
    Case("amqp-confirms", "proto=amqp", ("amqp-consumer 5672",), "once", "rabbitmq"),
    Case("tcp", "proto=tcp", ("raw-tcp",), "once"),
    Case("udp", "proto=udp", ("raw-udp",), "none"),
    *(
        Case(
            f"mqtt-receive-qos{qos}",
            f"proto=mqtt role=subscribe clean=0 qos={qos}",
            (),
            ("once", "least", "once")[qos],
            "mosquitto",
            f"mqtt-{qos}",
        )
        for qos in range(3)
    ),
    *(
        Case(
            f"mqttsn-receive-qos{qos}",
            f"proto=mqttsn retry_ms=200 role=subscribe clean=0 qos={qos}",
            ("mqttsn-gateway 1883",),
            ("none", "least", "once")[qos],
            "mosquitto",
            f"mqtt-{qos}",
        )
        for qos in range(3)
    ),
    Case("coap-serve", "proto=coap role=serve topic=a", (), "once", "", "coap"),
    Case("http-serve", "proto=http role=serve topic=a", (), "once", "", "http"),
    Case(
        "websocket-receive", "proto=websocket role=subscribe port=8082", (), "once", "", "websocket"
    ),
    Case("amqp-receive", "proto=amqp role=subscribe", (), "once", "rabbitmq", "amqp"),
    Case("tcp-serve", "proto=tcp role=serve", (), "once", "", "tcp"),
    Case("udp-serve", "proto=udp role=serve", (), "none", "", "udp"),
)
