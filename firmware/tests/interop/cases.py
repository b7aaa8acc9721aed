"""What is tried: one case for each mode of each protocol, and the guarantee that it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

PAHO_GATEWAY = "MQTT-SNGateway"


@dataclass(frozen=True)
class Case:
    """One protocol mode: the board's configuration, its peers, and what the mode promises."""

    name: str
    config: str
    peers: tuple[str, ...]  # the first counts what the board publishes
    guarantee: str  # once | least | none
    broker: str = ""  # mosquitto [WINDOW] | rabbitmq, started beside the peers
    sender: str = ""  # the board receives: the kind of senders.py that sends to it
    restarts: int = 0  # of the broker, spread over the schedule
    needs: str = ""  # a program that not every machine has
    messages: int = 0  # at most so many, where a message takes seconds by design
    interval_ms: int = 0  # at least

    def promise(self, orderly: bool) -> str:
        """Return the guarantee on a link where packets do not pass each other, or do.

        MQTT-SN's identifiers are free again after the last acknowledgement: a datagram that the
        network holds back for longer than a handshake is a new message to its receiver.
        """
        late = not orderly and self.config.startswith("proto=mqttsn ")
        return "least" if late and self.guarantee == "once" else self.guarantee

    def verdict(self, orderly: bool, counts: Mapping[str, int]) -> str:
        """Hold the promise against `delivered`, `duplicated` and `lost`."""
        promise = self.promise(orderly)
        if promise == "none":
            return "none"
        once = promise == "least" or not counts["duplicated"]
        return "kept" if once and not counts["lost"] else "broken"


def _mqtt(name: str, config: str, guarantee: str) -> Case:
    return Case(
        name, f"proto=mqtt {config}", ("mqtt-subscriber 1883",), guarantee, broker="mosquitto"
    )


def _mqtt5(name: str, config: str, guarantee: str) -> Case:
    return replace(_mqtt(name, "", guarantee), config=f"proto=mqtt5 {config}")


def _mqttsn(name: str, config: str, guarantee: str) -> Case:
    peers = ("mqtt-subscriber 1883", "mqttsn-gateway 1883")
    return Case(name, f"proto=mqttsn retry_ms=200 {config}", peers, guarantee, broker="mosquitto")


def _restarted(case: Case, guarantee: str = "") -> Case:
    """The same while its broker is restarted twice."""
    guarantee = guarantee or case.guarantee
    return replace(case, name=f"{case.name}-restarts", restarts=2, guarantee=guarantee)


def _paho(case: Case) -> Case:
    """The same with Eclipse Paho's gateway in the place of the laboratory's. It loses what exceeds
    ten messages in flight to one client, so the broker sends no more."""
    peers = tuple(peer.replace("mqttsn-gateway", "paho-gateway") for peer in case.peers)
    return replace(
        case, name=f"{case.name}-paho", peers=peers, needs=PAHO_GATEWAY, broker="mosquitto 10"
    )


_PUBLISH = (
    _mqtt("mqtt-qos0", "qos=0", "once"),  # TCP alone keeps it while the connection stands
    _mqtt("mqtt-qos1", "qos=1 clean=0", "least"),
    _mqtt("mqtt-qos2", "qos=2 clean=0", "once"),
    _mqtt5("mqtt5-qos0", "qos=0", "once"),
    _mqtt5("mqtt5-qos1", "qos=1 clean=0", "least"),
    _mqtt5("mqtt5-qos2", "qos=2 clean=0", "once"),
    _mqtt5("mqtt5-alias", "qos=1 clean=0 topic_alias=1", "least"),
    _mqttsn("mqttsn-qos-1", "qos=-1 topic_type=predefined topic_id=1", "none"),
    _mqttsn("mqttsn-qos0", "qos=0", "none"),
    _mqttsn("mqttsn-qos1", "qos=1 clean=0", "least"),
    _mqttsn("mqttsn-qos2", "qos=2 clean=0", "once"),
    Case("coap-con", "proto=coap inflight=16", ("coap-server",), "least"),
    # aiocoap takes some 130 a second on a busy core, and nothing slows the device down.
    Case("coap-non", "proto=coap confirmable=0", ("coap-server",), "none", interval_ms=20),
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
)
_RECEIVE = (
    *(
        Case(
            f"{protocol}-receive-qos{qos}",
            f"proto={protocol} role=subscribe clean=0 qos={qos}",
            (),
            ("once", "least", "once")[qos],
            "mosquitto",
            f"mqtt-{qos}",
        )
        for protocol in ("mqtt", "mqtt5")
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
_BY_NAME = {case.name: case for case in (*_PUBLISH, *_RECEIVE)}
_SECOND_PEERS = (
    Case("coap-con-libcoap", "proto=coap inflight=16", ("libcoap-server",), "least"),
    Case("coap-non-libcoap", "proto=coap confirmable=0", ("libcoap-server",), "none"),
    Case("coap-serve-libcoap", "proto=coap role=serve topic=a", (), "once", "", "libcoap"),
    *(_paho(_BY_NAME[f"mqttsn-qos{qos}"]) for qos in range(3)),
    # Towards a client it repeats nothing: what the link loses is lost.
    *(replace(_paho(_BY_NAME[f"mqttsn-receive-qos{qos}"]), guarantee="none") for qos in range(3)),
)
_RESTARTS = (
    _restarted(_BY_NAME["mqtt-qos0"], "none"),
    _restarted(_BY_NAME["mqtt-qos1"]),
    _restarted(_BY_NAME["mqtt-qos2"]),
    _restarted(_BY_NAME["mqtt5-qos2"]),
    _restarted(_BY_NAME["mqtt5-alias"]),
    _restarted(_BY_NAME["mqttsn-qos1"]),
    _restarted(_BY_NAME["mqttsn-qos2"]),
    _restarted(_BY_NAME["mqtt-receive-qos1"]),
    # mosquitto gives what is in flight new packet identifiers when it comes back.
    _restarted(_BY_NAME["mqtt-receive-qos2"], "least"),
    _restarted(_BY_NAME["mqttsn-receive-qos1"]),
    _restarted(_BY_NAME["mqttsn-receive-qos2"], "least"),
    # Confirms alone cannot tell a message whose confirm was lost from one that was lost.
    replace(
        _restarted(_BY_NAME["amqp-confirms"], "least"),
        config="proto=amqp clean=0",
        peers=("amqp-consumer 5672 durable",),
    ),
)
_TOPICS_AND_SLEEP = (
    _mqttsn("mqttsn-search", "search=1 qos=1 clean=0", "least"),
    _mqttsn("mqttsn-short", "qos=2 clean=0 topic=ab topic_type=short", "once"),
    _mqttsn("mqttsn-predefined", "qos=2 clean=0 topic_type=predefined topic_id=1", "once"),
    replace(  # it sleeps after a second without work, and connects to publish
        _mqttsn("mqttsn-sleep", "sleep_s=2 qos=2 clean=0", "once"), messages=100, interval_ms=2500
    ),
    replace(
        _BY_NAME["mqttsn-receive-qos2"],
        name="mqttsn-sleep-receive",
        config="proto=mqttsn retry_ms=200 role=subscribe clean=0 qos=2 sleep_s=2",
    ),
)

CASES = (*_PUBLISH, *_RECEIVE, *_SECOND_PEERS, *_TOPICS_AND_SLEEP, *_RESTARTS)
