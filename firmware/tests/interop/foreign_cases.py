"""The cases of cases.py with peers of other projects, from their registries (foreign.py)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cases import CASES, Case

_OWN = {case.name: case for case in CASES}


_AMQP = ("amqp-confirms", "amqp-receive")


def _qos(protocol: str) -> list[str]:
    """The cases of each QoS, both directions."""
    return [f"{protocol}{way}-qos{qos}" for way in ("", "-receive") for qos in range(3)]


def _broker(name: str, port: int, own: Iterable[str]) -> tuple[Case, ...]:
    """The cases of these names over another broker."""
    return tuple(
        replace(_OWN[case], name=f"{case}-{name}", broker=f"foreign {name} {port}") for case in own
    )


def _served(own: str, name: str) -> Case:
    """The device publishes to another server."""
    case = _OWN[own]
    return replace(case, name=f"{own}-{name}", peers=(f"foreign {name}",))


def _sent(own: str, name: str, guarantee: str = "") -> Case:
    """Another sender sends to the device."""
    case = _OWN[own]
    return replace(case, name=f"{own}-{name}", sender=name, guarantee=guarantee or case.guarantee)


FOREIGN_CASES = (
    *(case for name in ("aedes", "mochi", "hivemq") for case in _broker(name, 1883, _qos("mqtt"))),
    *(
        case
        for name in ("mochi", "hivemq")  # aedes has no MQTT 5
        for case in _broker(name, 1883, [*_qos("mqtt5"), "mqtt5-alias"])
    ),
    *_broker("qpid", 5672, _AMQP),
    *(
        _served(own, name)
        for name in ("californium", "node-coap")
        for own in ("coap-con", "coap-non")
    ),
    # A board remembers 16 requests against repetition, and eight clients overtake each other.
    *(_sent("coap-serve", name, "least") for name in ("californium", "node-coap")),
    *(
        _served(own, name)
        for name in ("nginx", "go-http", "node-http")
        for own in ("http-kept", "http-chunked", "http-per-request")
    ),
    *(_sent("http-serve", name) for name in ("nginx", "go-http", "node-http")),
    *(
        _served(own, name)
        for name in ("ws", "gorilla", "tornado")
        for own in ("websocket", "websocket-fragments")
    ),
    *(_sent("websocket-receive", name) for name in ("ws", "gorilla", "tornado")),
)
