"""States of an MQTT-SN client at its gateway, and what its state machine asks the gateway to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from hil.peers.mqttsn import codec as sn


class State(Enum):
    """Section 6.14, with the steps of connecting (section 6.2)."""

    DISCONNECTED = auto()
    WILL_TOPIC = auto()  # WILLTOPICREQ is sent
    WILL_MESSAGE = auto()  # WILLMSGREQ is sent
    OPENING = auto()  # the broker is asked
    ACTIVE = auto()
    ASLEEP = auto()
    AWAKE = auto()


# From a DISCONNECT with a duration on until the client connects again.
SLEEPING = {State.ASLEEP, State.AWAKE}


@dataclass(frozen=True)
class ToDevice:
    packet: sn.Packet


@dataclass(frozen=True)
class ToBroker:
    data: bytes


@dataclass(frozen=True)
class OpenBroker:
    """Connect to the broker, closing an older connection of this client."""


@dataclass(frozen=True)
class CloseBroker:
    """Close the connection once what was given before is sent."""


@dataclass(frozen=True)
class Note:
    """Something for the gateway's log."""

    event: str
    detail: str = ""


Effect = ToDevice | ToBroker | OpenBroker | CloseBroker | Note


def tolerated_s(duration_s: float) -> float:
    """Silence after which a client is lost: 10 % more than a minute or longer, 50 % more than less
    (section 7.2)."""
    return duration_s * (1.1 if duration_s > 60 else 1.5)
