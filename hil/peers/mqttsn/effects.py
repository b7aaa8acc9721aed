"""States of an MQTT-SN client at its gateway, and the effects that its state machine emits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from hil.peers.mqttsn import codec as sn


class State(Enum):
    """States of section 6.14, and the steps of connecting (section 6.2)."""

    DISCONNECTED = auto()
    WILL_TOPIC = auto()  # WILLTOPICREQ is sent
    WILL_MESSAGE = auto()  # WILLMSGREQ is sent
    OPENING = auto()  # the broker connection is being opened
    ACTIVE = auto()
    ASLEEP = auto()
    AWAKE = auto()


# From a DISCONNECT with a duration until the client connects again.
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
    """Close the connection after sending pending data."""


@dataclass(frozen=True)
class Note:
    """Add an event to the gateway's log."""

    event: str
    detail: str = ""


Effect = ToDevice | ToBroker | OpenBroker | CloseBroker | Note


def tolerated_s(duration_s: float) -> float:
    """Return the silence after which a client is lost, s: the duration plus 10 % if it exceeds a
    minute, else plus 50 % (section 7.2)."""
    return duration_s * (1.1 if duration_s > 60 else 1.5)
