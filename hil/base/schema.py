"""Validation against the JSON schemas in workflow/schemas, with errors that users can act on."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from referencing import Registry, Resource

from hil.base.documents import read_yaml
from hil.base.errors import InputError
from hil.base.paths import ROOT

SCHEMAS = ROOT / "workflow" / "schemas"
PROTOCOLS = ROOT / "workflow" / "protocols.yaml"
_LISTED = 100  # names in a hint


def _name_protocols(rules: dict[str, Any]) -> None:
    """Complete the schema of parameters from the table of protocols: names, and the protocols to
    which the parameters of the modes apply."""
    rows = read_yaml(PROTOCOLS)
    names = {
        "protocol": list(rows),
        "mode": [f"{name}-{mode}" for name, row in rows.items() for mode in row["modes"]],
        "peer": sorted({"program"} | {peer for row in rows.values() for peer in row["servers"]}),
    }
    for key, values in names.items():
        rules["properties"][key]["enum"] = values
    for name, row in rows.items():
        for key in sorted({key for mode in row["modes"].values() for key in mode} - {"label"}):
            rule = rules["properties"].get(key, {})
            rule.setdefault("applies", {}).setdefault("protocol", []).append(name)


@cache
def _registry() -> Registry:
    """Return all schemas of the project, so that one may refer to another by its file name."""
    documents = {
        path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(SCHEMAS.glob("*.schema.json"))
    }
    _name_protocols(documents["parameters.schema.json"])
    resources = [(name, Resource.from_contents(text)) for name, text in documents.items()]
    return Registry().with_resources(resources)


def schema(name: str) -> dict[str, Any]:
    """Return the schema `name` (config, study, trial, ...) as a dictionary."""
    return dict(_registry().contents(f"{name}.schema.json"))


@cache
def parameter_names() -> tuple[str, ...]:
    """Return every parameter that a trial may have, sorted."""
    return tuple(sorted(schema("parameters")["properties"]))


def _whole(checker: jsonschema.TypeChecker, value: Any) -> bool:
    """Return whether a value is an integer. JSON Schema would also accept 30.0."""
    return isinstance(value, int) and not isinstance(value, bool)


def _number(checker: jsonschema.TypeChecker, value: Any) -> bool:
    return _whole(checker, value) or (isinstance(value, float) and math.isfinite(value))


def _pattern(validator: Any, pattern: str, instance: Any, rule: Any) -> Iterator[Any]:
    """Match `$` at the end of a text only (ECMA-262); Python also matches before a line break."""
    ended = re.sub(r"\$$", r"\\Z", pattern)
    if validator.is_type(instance, "string") and not re.search(ended, instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


_Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    {"pattern": _pattern},
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _whole, "number": _number}
    ),
)


def nearest(word: str, known: list[str] | tuple[str, ...]) -> str:
    """Return a hint for a misspelt word: the most similar known one, else the list of all; of a
    long list those that are least unlike it."""
    match = difflib.get_close_matches(word, known, n=1)
    if match:
        return f"did you mean '{match[0]}'?"
    if len(known) <= _LISTED:
        return f"known are: {', '.join(known)}"
    close = difflib.get_close_matches(word, known, n=5, cutoff=0) or list(known[:5])
    return f"known are {len(known)}, such as: {', '.join(close)}"


def _unknown(error: jsonschema.ValidationError) -> list[str]:
    """Return the keys that additionalProperties refuses, sorted."""
    return sorted(set(map(str, error.instance)) - set(error.schema.get("properties", {})))


def _explain(error: jsonschema.ValidationError) -> tuple[str, str]:
    """Return problem and remedy of one validation error."""
    value = json.dumps(error.instance, sort_keys=True, default=str)
    value = value if len(value) <= 60 else value[:57] + "..."
    match error.validator:
        case "additionalProperties":
            known, extra = sorted(error.schema.get("properties", {})), _unknown(error)
            return f"unknown key '{extra[0]}'", nearest(extra[0], known)
        case "required":
            return error.message.replace("is a required property", "is missing"), "add it"
        case "enum":
            allowed = [str(item) for item in error.validator_value]
            return f"{value} is not allowed", nearest(str(error.instance), allowed)
        case "type":
            wanted = error.validator_value
            wanted = wanted if isinstance(wanted, str) else " or ".join(wanted)
            return f"{value} is not of type {wanted}", f"give a value of type {wanted}"
        case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
            return f"{value} is out of range", f"{error.validator} is {error.validator_value}"
        case _:
            return error.message, "see workflow/schemas"


@cache
def _validator(name: str) -> Any:
    return _Validator(schema(name), registry=_registry())


def validate(
    document: Any,
    name: str,
    source: str | Path,
    line: int | Callable[[list[str | int]], int | None] | None = None,
) -> None:
    """Check a document against a schema.

    Args:
        name: of the schema.
        line: of the document in its source, or a function that returns the line of a key.

    Raises:
        InputError: it names file (and line), key and remedy.
    """
    error = jsonschema.exceptions.best_match(_validator(name).iter_errors(document))
    if error is None:
        return
    problem, remedy = _explain(error)
    path = list(error.absolute_path)
    if callable(line):
        unknown = error.validator == "additionalProperties"
        line = line([*path, *_unknown(error)[:1]] if unknown else path)
    key = ".".join(map(str, path))
    if line is not None:
        key = f"line {line}: {key}" if key else f"line {line}"
    raise InputError(source, key, problem, remedy)


def load_yaml(path: Path, name: str) -> dict[str, Any]:
    """Read and validate a YAML file; InputError if it is missing, malformed or wrong."""
    document = read_yaml(path)
    validate(document, name, path)
    return dict(document)
