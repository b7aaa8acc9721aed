"""The words that the fuzzed configurations are made of, read from where they are defined."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[3]
# A value that the firmware's configuration takes, by the kind of the key.
_VALUES = {
    "ADDRESS": "10.0.0.1",
    "BOOLEAN": "1",
    "ENTROPY": "board",
    "MAC": "02:00:00:00:00:01",
    "PACE": "answer",
    "QUIRKS": "byte_at_a_time_read,window_each_40_ms",
    "ROLE": "serve",
    "SECURITY": "psk",
    "SIGNED": "-1",
    "SIZES": "2,30,400",
    "TEXT": "ab",
    "TOPIC_TYPE": "short",
}


def _read(path: str) -> str:
    return (_ROOT / path).read_text(encoding="utf-8")


def firmware_keys() -> list[tuple[str, str]]:
    """A valid value for each key of the firmware's configuration, in their order."""
    rows = re.findall(r"\bKEY\((\w+), (\w+), (\w+)", _read("firmware/core/config_keys.h"))
    return [
        (name, _VALUES[kind] if kind in _VALUES else least if least.isdigit() else "12")
        for kind, name, least in rows
    ]


def firmware_words() -> list[str]:
    """Keys as they are written there, and the words that are values."""
    lists = re.findall(r'\{("[^}]*"), NULL\}', _read("firmware/core/config.c"))
    values = {word for text in lists for word in re.findall(r'"(\w+)"', text)}
    return [f"{name}=" for name, _ in firmware_keys()] + sorted(values)


def _schema_words(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        properties, enum = node.get("properties"), node.get("enum")
        yield from properties if isinstance(properties, dict) else ()
        yield from (word for word in enum or () if isinstance(word, str))
        node = list(node.values())
    if isinstance(node, list):
        for value in node:
            yield from _schema_words(value)


def simulator_words() -> list[str]:
    """Keys and words of the configurations of the cell, of the wire and of the NB-IoT model."""
    cell = _schema_words(json.loads(_read("sim/air/air.schema.json")))
    wire = _schema_words(json.loads(_read("sim/wire/wire.schema.json")))
    model = re.findall(r'"([a-z]\w*)"', _read("sim/nbiot/src/config.cc"))
    return sorted({*cell, *wire, *model})
