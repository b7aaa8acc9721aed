"""A configuration as people write it, in config.yaml or as `--config nbiot=no`, made plain.

YAML takes some words for truth values, Snakemake's command line others; here all of them mean the
same in both places. What remains wrong is left for the schema to refuse.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hil.base.documents import read_yaml
from hil.base.errors import InputError
from hil.base.schema import schema, validate

PATHS = ("crate", "mirror", "zephyr")
_WORDS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def _plain(value: Any, rule: dict[str, Any]) -> Any:
    """`value` as its property's rule in the schema wants it, where it says the same."""
    kind, truth = rule.get("type"), _WORDS.get(str(value).lower())
    if kind == "boolean" and truth is not None:
        return truth
    if truth is not None and {"yes", "no"} <= set(rule.get("enum", ())):
        return "yes" if truth else "no"
    if kind == "array" and isinstance(value, str):
        return [value]
    if kind == "string" and value is None:  # `mirror=`
        return ""
    return value


def make_plain(config: dict[str, Any]) -> None:
    """Change the values of `config` (config.schema.json), in place, to those the schema knows."""
    for key, rule in schema("config")["properties"].items():
        if key in config:
            config[key] = _plain(config[key], rule)


def check(config: dict[str, Any], files: Iterable[Path]) -> None:
    """Make a configuration plain, and refuse what is none.

    `files` are those that it was read from, by a loader that takes a key that stands twice.

    Raises:
        InputError: names file, key and remedy.
    """
    for file in files:
        read_yaml(file)
    make_plain(config)
    validate(config, "config", "config.yaml")
    for key in PATHS:
        try:
            Path(config.get(key, "")).exists()
        except OSError as error:
            raise InputError(
                "config.yaml", key, f"names no place ({error.strerror})", "correct the path"
            ) from error
