"""Normalize a configuration from config.yaml or from `--config nbiot=no`.

YAML and Snakemake's command line accept different words for truth values. Here all of them have the
same meaning in both. The schema refuses what remains wrong.
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
    """Convert `value` to the type of its property in the schema, if the meaning is the same."""
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
    """Convert the values of `config` in place to those of config.schema.json."""
    for key, rule in schema("config")["properties"].items():
        if key in config:
            config[key] = _plain(config[key], rule)


def check(config: dict[str, Any], files: Iterable[Path]) -> None:
    """Normalize and validate a configuration.

    Args:
        config: changed in place.
        files: its sources, which are read again because Snakemake's loader accepts duplicate keys.

    Raises:
        InputError: the configuration is invalid.
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
                "config.yaml", key, f"is not a valid path ({error.strerror})", "correct the path"
            ) from error
