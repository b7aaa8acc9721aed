"""The parameters of a trial: which apply to it, and what counts where a study says nothing.

Their table is workflow/schemas/parameters.schema.json, that of protocols workflow/protocols.yaml.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from hil.base.errors import InputError
from hil.base.schema import schema, validate
from hil.design import protocols, rules
from hil.design.facts import Facts

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
    given = {key: table()[key]["default"] for key in ("role", "peer")} | parameters
    given["transport"] = protocols.protocols()[parameters["protocol"]].transport
    for key, values in table()[name].get("applies", {}).items():
        value = given.get(key, table()[key].get("absent") if key in table() else None)
        if value not in values:
            return f"{key} {value}"
    return ""


def applies(name: str, parameters: dict[str, Any]) -> bool:
    """Does the parameter mean anything in a trial with these parameters?"""
    return not _obstacle(name, parameters)


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
    rules.check(Facts.of(filled), source)
    return dict(sorted(filled.items()))
