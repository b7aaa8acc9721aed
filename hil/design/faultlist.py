"""The faults of a trial, as its parameter `faults` states them (docs/faults.md).

Each has a kind, a time or a packet that begins it, and the keys of its kind. The frames' kinds are
carried out by the program `wire` (sim/wire), the others by the rig.

Two parameters are faults from the start: `clock_start_ms` and `heap_bytes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hil.design.protocols import PROGRAM_PEER

if TYPE_CHECKING:
    from hil.design.facts import Facts

# Kind -> the keys that it has beside those that begin it.
_FRAMES = ("for_s", "frames", "from", "share")
_DAMAGE = (*_FRAMES, "valid_checksum")
ON_THE_WIRE: dict[str, tuple[str, ...]] = {
    "loss": _FRAMES,
    "duplicate": _FRAMES,
    "delay": (*_FRAMES, "delay_ms"),
    "reorder": (*_FRAMES, "delay_ms"),
    "truncate": (*_DAMAGE, "bytes"),
    "bit_flip": (*_DAMAGE, "bit"),
    "split": (*_FRAMES, "bytes"),
    "rate_limit": ("for_s", "from", "rate_kbps"),
    "link_down": ("for_s",),
    "half_open": ("for_s", "from"),
    "tcp_reset": ("to",),
    "nat_rebind": (),
    "refuse": ("for_s",),
}
AT_THE_SERVER: dict[str, tuple[str, ...]] = {
    "server_kill": ("for_s", "state"),
    "server_restart": ("for_s", "state"),
    "server_pause": ("for_s",),
    "server_slow": ("for_s", "delay_ms"),
    "server_connections": ("for_s",),
}
AT_THE_DEVICE: dict[str, tuple[str, ...]] = {"device_reset": ("memory",)}
BY_THE_RIG = AT_THE_SERVER | AT_THE_DEVICE
KINDS = ON_THE_WIRE | BY_THE_RIG
# How late an answer is (ms), as far as a fault does not state it; sim/wire has the same.
DELAY_MS = 1000
_ALWAYS = ("kind", "at_s", "at")
# Keys of a fault or its packet in seconds -> of wire.schema.json in milliseconds.
_SECONDS = {"at_s": "at_ms", "for_s": "for_ms", "after_s": "after_ms"}
_TCP_ONLY = ("split", "tcp_reset", "refuse", "server_connections")
_OWN_SERVER = ("server_pause", "server_slow", "server_connections")
# What only the emulator of this board does: a fault, or a parameter.
_EMULATED = ("device_reset", "clock_start_ms", "heap_bytes")
EMULATED_BOARD = "lx106"
# Keys of which the program `wire` knows nothing.
_OF_THE_RIG = ("at", "state", "memory")
_OF_MQTT = (
    *("CONNECT", "CONNACK", "PUBLISH", "PUBACK", "PUBREC", "PUBREL", "PUBCOMP", "SUBSCRIBE"),
    *("SUBACK", "UNSUBSCRIBE", "UNSUBACK", "PINGREQ", "PINGRESP", "DISCONNECT", "AUTH"),
)
_OF_COAP = ("CON", "NON", "ACK", "RST")
# Protocol -> the name of the reader of its packets in the program `wire`; MQTT 5 has the types of
# 3.1.1, and OSCORE those of CoAP.
_APPLICATIONS = {"mqtt": "mqtt", "mqtt5": "mqtt", "coap": "coap", "oscore": "coap"}
_OF_APPLICATION = {"mqtt": _OF_MQTT, "coap": _OF_COAP}
_OF_TCP = ("SYN", "FIN", "RST")
KEPT, LOST = "kept", "lost"


def application(facts: Facts) -> str:
    """Return the reader of the packets of this trial (`application` of sim/wire/wire.schema.json);
    "other" where there is none: TLS and DTLS hide them."""
    return "other" if facts.secured else _APPLICATIONS.get(facts.protocol, "other")


def packets(facts: Facts) -> tuple[str, ...]:
    """Return the packets that can begin a fault of this trial."""
    return (
        "DATA",
        *(_OF_TCP if facts.row.transport == "tcp" else ()),
        *_OF_APPLICATION.get(application(facts), ()),
    )


def _wrong_with(fault: Mapping[str, Any], facts: Facts) -> Iterator[str]:
    """Yield what is wrong with one fault."""
    kind = fault["kind"]
    if ("at_s" in fault) == ("at" in fault):
        yield "needs one of at_s and at"
    for key in fault:
        if key not in (*_ALWAYS, *KINDS[kind]):
            yield f"{kind} has no {key}"
    if kind == "half_open" and "from" not in fault:
        yield "half_open needs from: whose frames vanish"
    if kind == "server_pause" and "for_s" not in fault:
        yield "server_pause needs for_s: a server that stays paused cannot be stopped in order"
    if kind in _OWN_SERVER and facts.peer == PROGRAM_PEER:
        yield f"{kind} does not apply to a server of your own: use link_down or refuse"
    if kind == "device_reset" and not facts.duration_s:
        yield "device_reset needs duration_s: a device that was reset does not end by itself"
    if kind in _TCP_ONLY and facts.row.transport != "tcp":
        yield f"{kind} needs TCP, and {facts.row.label} uses UDP"
    if fault.get("at_s", 0) >= facts.sending_s:
        yield f"begins at {fault['at_s']:g} s, and the device ends at {facts.sending_s:g} s"
    if packet := fault.get("at"):
        known = packets(facts)
        if packet["packet"] not in known:
            hidden = " inside TLS" if facts.secured else ""
            yield f"no packet {packet['packet']} is recognised{hidden}; known: {', '.join(known)}"
        if "qos" in packet and packet["packet"] != "PUBLISH":
            yield f"qos is no property of {packet['packet']}"


def problem(facts: Facts) -> str:
    """Return what is wrong with the faults of a trial, with the fault's number from 1; an empty
    text if nothing is."""
    for number, fault in enumerate(facts.faults, 1):
        if wrong := next(_wrong_with(fault, facts), ""):
            return f"fault {number}: {wrong}"
    states = {fault.get("state", KEPT) for fault in facts.faults if "state" in KINDS[fault["kind"]]}
    if states == {KEPT, LOST}:
        return "one fault keeps the server's state and another loses it"
    return ""


def only_emulated(facts: Facts, board: str) -> str:
    """Return which fault or parameter of a trial this board does not have; an empty text if it has
    all."""
    if board == EMULATED_BOARD:
        return ""
    stated = {fault["kind"] for fault in facts.faults}
    stated |= {name for name in _EMULATED if getattr(facts, name, None)}
    return next((name for name in _EMULATED if name in stated), "")


def key_of_emulated(facts: Facts) -> str:
    """Return the key of what `only_emulated` names."""
    name = only_emulated(facts, "")
    return "faults" if name in AT_THE_DEVICE else name


def keeps_state(facts: Facts) -> bool:
    """Return whether a server has to keep its state across a planned end."""
    return any(
        fault["kind"] in ("server_kill", "server_restart") and fault.get("state", KEPT) == KEPT
        for fault in facts.faults
    )


def _renamed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return keys in seconds as the keys in milliseconds of wire.schema.json."""
    return {
        _SECONDS.get(key, key): value * 1000 if key in _SECONDS else value
        for key, value in given.items()
    }


def schedule(facts: Facts) -> list[dict[str, Any]]:
    """Return the faults as wire.schema.json has them, numbered from 1."""
    found = []
    for number, fault in enumerate(facts.faults, 1):
        entry = _renamed({key: value for key, value in fault.items() if key not in _OF_THE_RIG})
        if fault["kind"] in BY_THE_RIG:
            entry["kind"] = "outside"
        if fault["kind"] in AT_THE_DEVICE:
            entry["for_ms"] = 0  # it is over at once
        if packet := fault.get("at"):
            named = {"name": packet["packet"], **packet}
            del named["packet"]
            entry["packet"] = _renamed(named)
        found.append({"number": number, **entry})
    return found
