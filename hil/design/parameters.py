"""The parameters of a trial: which of them apply, and their defaults.

workflow/schemas/parameters.schema.json defines them, workflow/protocols.yaml the protocols.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from hil.base.errors import InputError
from hil.base.schema import schema, validate
from hil.design import protocols, rules
from hil.design.facts import GROUP_OWN, Facts

MODE = "mode"
FOREIGN = "foreign"
DEVICES, GROUPS = "devices", "groups"
# Parameters of the firmware that also concern the laboratory around a foreign device.
_AROUND = (
    "protocol",
    "role",
    "payload_bytes",
    "interval_ms",
    "messages",
    "duration_s",
    "modem_sleep",
    "security",
    "own_certificate",
)


@cache
def table() -> dict[str, dict[str, Any]]:
    """Return the schema of every parameter, by its name."""
    return dict(schema("parameters")["properties"])


def with_mode(given: dict[str, Any], source: str | Path) -> dict[str, Any]:
    """Return `given` with the protocol and the parameters that its mode stands for.

    Raises:
        InputError: the mode is unknown, or contradicts another parameter.
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
    """Return why a parameter does not apply to a trial; empty if it applies."""
    given = {key: table()[key]["default"] for key in ("role", "peer")} | parameters
    given["transport"] = protocols.protocols()[parameters["protocol"]].transport
    rule = table()[name]
    if parameters.get(FOREIGN) and (name == MODE or ("board" in rule and name not in _AROUND)):
        return "a foreign device"
    for key, values in rule.get("applies", {}).items():
        value = given.get(key, table()[key].get("absent") if key in table() else None)
        if value not in values:
            return f"{key} {value}"
    return ""


def applies(name: str, parameters: dict[str, Any]) -> bool:
    """Return whether a parameter applies to a trial with these parameters."""
    return not _obstacle(name, parameters)


def _mode(filled: dict[str, Any], source: str | Path) -> str:
    """Return the name of the mode with these parameters.

    Raises:
        InputError: there is none.
    """
    protocol = protocols.protocols()[filled["protocol"]]
    if mode := protocol.mode(filled):
        return mode.name
    [*keys] = dict.fromkeys(key for mode in protocol.modes for key in mode.parameters)
    words = " and ".join(f"{key} {filled[key]}" for key in keys)
    known = ", ".join(mode.name for mode in protocol.modes)
    raise InputError(source, keys[0], f"{protocol.label} has no mode with {words}", f"use {known}")


def effective(given: dict[str, Any], source: str | Path) -> dict[str, Any]:
    """Return all parameters of a trial, sorted: `given`, and defaults of others that apply.

    Raises:
        InputError: a value is out of range, or parameters do not apply or contradict each other.
    """
    given = with_mode(given, source)
    validate(given, "parameters", source)
    if given.get(GROUPS):
        devices = sum(group[DEVICES] for group in given[GROUPS])
        given = {**given, DEVICES: given.get(DEVICES, devices)}
    for name in given:
        if obstacle := _obstacle(name, given):
            raise InputError(source, name, f"does not apply to {obstacle}", "remove it")
    filled = {
        name: rule["default"]
        for name, rule in table().items()
        if "default" in rule and name not in given and applies(name, given)
    } | given
    if not filled.get(FOREIGN):
        filled[MODE] = _mode(filled, source)
    rules.check(Facts.of(filled), source)
    of_groups(filled, source)
    return dict(sorted(filled.items()))


def of_groups(parameters: dict[str, Any], source: str | Path) -> list[dict[str, Any]]:
    """Return the effective parameters of the devices of each group of a trial; those of the trial
    without groups.

    A group's own values replace the trial's. Of the trial's those that do not apply to the group's
    mode are left out.

    Raises:
        InputError: what a group states does not apply, or contradicts something.
    """
    if not parameters.get(GROUPS):
        return [parameters]
    shared = {name: value for name, value in parameters.items() if name != GROUPS}
    found = []
    for number, group in enumerate(parameters[GROUPS]):
        place = f"{source}: {GROUPS}.{number}"
        own = {name: value for name, value in group.items() if name not in GROUP_OWN}
        base = shared
        if MODE in own:
            own = with_mode(own, place)
            meant = {key for mode in protocols.modes().values() for key in mode[1].parameters}
            base = {name: value for name, value in shared.items() if name not in meant}
        both = base | own
        fitting = {name: both[name] for name in base if name in own or applies(name, both)}
        found.append(effective(fitting | own, place))
    return found
