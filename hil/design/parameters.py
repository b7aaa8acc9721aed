"""The parameters of a trial: which apply to it, and what counts where a study says nothing.

Their table is workflow/schemas/parameters.schema.json, that of protocols workflow/protocols.yaml.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from hil.design import background, interruptions, loops, protocols, servertime, sizes
from hil.errors import InputError
from hil.schema import schema, validate

MODE = "mode"


@cache
def table() -> dict[str, dict[str, Any]]:
    """Every parameter by its name, with its rule."""
    return dict(schema("parameters")["properties"])


def with_mode(given: dict[str, Any], source: str | Path) -> dict[str, Any]:
    """`given` with the protocol and the parameters that its mode stands for.

    Raises:
        InputError: there is no such mode, or it contradicts another parameter.
    """
    if MODE not in given:
        return given
    (name,) = protocols.choose_modes([given[MODE]], source, MODE)
    protocol, mode = protocols.modes()[name]
    meant = {"protocol": protocol.name, **mode.parameters}
    for key, value in meant.items():
        if given.get(key, value) != value:
            raise InputError(
                source, key, f"{given[key]} contradicts the mode {name}", "give one of the two"
            )
    return {**given, **meant}


def _obstacle(name: str, parameters: dict[str, Any]) -> str:
    """Why a parameter does not apply to a trial with these parameters; empty if it does."""
    facts = {fact: table()[fact]["default"] for fact in ("role", "peer")} | parameters
    facts["transport"] = protocols.protocols()[parameters["protocol"]].transport
    for fact, values in table()[name].get("applies", {}).items():
        value = facts.get(fact, table()[fact].get("absent") if fact in table() else None)
        if value not in values:
            return f"{fact} {value}"
    return ""


def applies(name: str, parameters: dict[str, Any]) -> bool:
    """Does the parameter mean anything in a trial with these parameters?"""
    return not _obstacle(name, parameters)


def _check_roles(parameters: dict[str, Any], source: str | Path) -> None:
    """The protocol has the role, the peer, and clients for the role where they are asked for."""
    protocol = protocols.protocols()[parameters["protocol"]]
    known: list[tuple[str, tuple[str, ...]]] = [
        ("role", protocol.roles),
        ("peer", tuple(protocol.servers)),
    ]
    for key, values in known:
        if parameters[key] not in values:
            raise InputError(
                source,
                key,
                f"'{parameters[key]}' is none of {protocol.label}'s",
                f"give one of {', '.join(values)}",
            )
    security = parameters.get("security", "none")
    if security != "none" and not protocol.servers[parameters["peer"]].secure_port:
        peers = [peer for peer, row in protocol.servers.items() if row.secure_port]
        raise InputError(
            source,
            "security",
            f"the peer '{parameters['peer']}' speaks no TLS or DTLS",
            f"remove it, or set peer to {' or '.join(peers)}",
        )
    if security == "psk" and not protocol.servers[parameters["peer"]].psk:
        raise InputError(
            source,
            "security",
            f"the peer '{parameters['peer']}' takes no pre-shared keys",
            "set it to chain or pinned",
        )
    if parameters["clients"] and (load := loops.load(parameters)) not in protocol.loads:
        raise InputError(
            source,
            "clients",
            f"there is no load for a device that does '{load}' in {protocol.label}",
            "set it to 0, or choose another role or protocol",
        )
    if "after_publish_ms" in parameters and not parameters["publish_ms"]:
        raise InputError(
            source,
            "after_publish_ms",
            "the device publishes nothing",
            "set publish_ms, or remove it",
        )
    if "drain_s" in parameters and not parameters["clients"]:
        raise InputError(
            source,
            "drain_s",
            "there is no load whose messages wait",
            "set clients, or remove it",
        )


def _mode(filled: dict[str, Any], source: str | Path) -> str:
    """The name of the mode that the parameters of a trial make; InputError if there is none."""
    protocol = protocols.protocols()[filled["protocol"]]
    if mode := protocol.mode(filled):
        return mode.name
    [*keys] = dict.fromkeys(key for mode in protocol.modes for key in mode.parameters)
    words = " and ".join(f"{key} {filled[key]}" for key in keys)
    known = ", ".join(mode.name for mode in protocol.modes)
    raise InputError(source, keys[0], f"{protocol.label} has no mode with {words}", f"use {known}")


def effective(given: dict[str, Any], source: str | Path) -> dict[str, Any]:
    """All parameters of a trial, sorted by name: `given`, and the defaults of what else applies.

    Raises:
        InputError: a value is out of its range, a parameter does not apply, or they contradict
            each other.
    """
    given = with_mode(given, source)
    validate(given, "parameters", source)
    for name in given:
        if obstacle := _obstacle(name, given):
            raise InputError(source, name, f"does not apply to {obstacle}", "remove it")
    filled = {
        name: rule["default"]
        for name, rule in table().items()
        if "default" in rule and name not in given and applies(name, given)
    } | given
    filled[MODE] = _mode(filled, source)
    _check_roles(filled, source)
    loops.check(filled, source)
    sizes.check(filled, source)
    interruptions.check(filled, source)
    servertime.check(filled, source)
    background.check(filled, source)
    if not filled["duration_s"] and not filled["messages"]:
        raise InputError(source, "", "neither duration_s nor messages is given", "add one of them")
    return dict(sorted(filled.items()))
