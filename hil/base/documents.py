"""YAML and JSON from files, as data: of bounded size and depth, and without ambiguity.

YAML is read by the core schema of YAML 1.2 (section 10.3), without its pitfalls: true and false are
the only booleans (`no`, `12:30` and dates are strings), numbers are finite and decimal, keys are
unique strings, there are no aliases. The same holds for JSON.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.cyaml import CParser
from yaml.resolver import Resolver

from hil.base.errors import InputError

LONGEST = 1 << 20  # bytes of a document, or of a line of JSON lines
DEEPEST = 32  # documents of this project have six levels
_SCALARS = {
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?(?:0|[1-9][0-9]*)",
    "float": r"[-+]?(?:(?:[0-9]*\.[0-9]+|[0-9]+\.)(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)",
}


class Malformed(ValueError):
    """The text is not a valid document; the message says why."""


class _Loader(Composer, CParser, SafeConstructor, Resolver):
    """SafeLoader with the scalars above. libyaml parses it, in a tenth of the time."""

    yaml_implicit_resolvers: ClassVar[dict[Any, Any]] = {}
    _depth = 0

    def __init__(self, text: str) -> None:
        CParser.__init__(self, text)
        for part in (Composer, SafeConstructor, Resolver):
            part.__init__(self)

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.MarkedYAMLError(None, None, "has an alias", event.start_mark)
        self._depth += 1
        if self._depth > DEEPEST:
            problem = f"is deeper than {DEEPEST} levels"
            raise yaml.MarkedYAMLError(None, None, problem, event.start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if key.tag != "tag:yaml.org,2002:str":
                raise yaml.MarkedYAMLError(None, None, "a key is no text", key.start_mark)
            if key.value in seen:
                problem = f"key '{key.value}' stands twice"
                raise yaml.MarkedYAMLError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_number(self, node: Any) -> int | float:
        text = self.construct_scalar(node)
        return int(text) if node.tag.endswith(":int") else _finite(text)


for _name, _pattern in _SCALARS.items():
    _tag = f"tag:yaml.org,2002:{_name}"
    _Loader.add_implicit_resolver(_tag, re.compile(f"^(?:{_pattern})$"), None)
    if _name in {"int", "float"}:
        _Loader.add_constructor(_tag, _Loader.construct_number)


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise Malformed(f"the number {text} is not finite")
    return value


def parse_yaml(text: str) -> Any:
    """Return the document of a YAML text.

    Raises:
        Malformed: it is not valid; with the line, if there is one.
    """
    try:
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise Malformed(f"{line}{error.problem}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise Malformed(str(error).splitlines()[0]) from error


def yaml_line(text: str, path: Sequence[str | int]) -> int | None:
    """Return the line, from 1 on, of a key or an item of a valid YAML text; of a path that leads
    further than the document that of its last part that exists; None for an empty path."""
    node, line = yaml.compose(text, _Loader), None
    for part in path:
        if isinstance(node, yaml.MappingNode):
            pairs = [(key, value) for key, value in node.value if key.value == part]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            pairs = [(item, item) for item in node.value[part : part + 1]]
        else:
            pairs = []
        if not pairs:
            break
        line, node = pairs[0][0].start_mark.line + 1, pairs[0][1]
    return line


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise Malformed(f"key '{next(key for key in keys if keys.count(key) > 1)}' stands twice")
    return found


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            item
            for each in level
            if isinstance(each, dict | list)
            for item in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return
    raise Malformed(f"it is deeper than {DEEPEST} levels")


def parse_json(text: str, longest: int = LONGEST) -> Any:
    """Return the value of a JSON text (RFC 8259) of at most `longest` characters.

    Raises:
        Malformed: it is not JSON, or this module rejects it.
    """
    if len(text) > longest:
        raise Malformed(f"it is longer than {longest} bytes")
    try:
        value = json.loads(
            text, object_pairs_hook=_once, parse_float=_finite, parse_constant=_finite
        )
    except RecursionError as error:
        raise Malformed(f"it is deeper than {DEEPEST} levels") from error
    except Malformed:
        raise
    except ValueError as error:
        raise Malformed(str(error)) from error
    _check_depth(value)
    return value


def read_text(path: Path, remedy: str = "check the path") -> str:
    """Return the text of a file.

    Raises:
        InputError: it is not a regular file, too long, or not UTF-8.
    """
    try:
        if not path.is_file():
            raise InputError(path, "", "cannot be read (it is no file)", remedy)
        with path.open("rb") as file:
            data = file.read(LONGEST + 1)
        if len(data) > LONGEST:
            raise InputError(path, "", f"is longer than {LONGEST} bytes", "split it")
        return data.decode("utf-8")
    except (OSError, ValueError) as error:  # a path with a NUL byte is a ValueError
        raise InputError(path, "", f"cannot be read ({error})", remedy) from error


def read_lines(path: Path) -> Iterator[tuple[Any, str]]:
    """Yield each line of a JSON-lines file: its value, and its text. The file may be of any length.

    Raises:
        Malformed: a line is no JSON; with its number.
        OSError: the file cannot be read.
    """
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            yield parse_json(line), line
        except Malformed as error:
            raise Malformed(f"line {number}: is not JSON ({error})") from error


def read_yaml(path: Path) -> Any:
    """Return the document of a YAML file; InputError if it cannot be read or is malformed."""
    try:
        return parse_yaml(read_text(path))
    except Malformed as error:
        raise InputError(path, "", f"is not valid YAML: {error}", "correct it") from error


def read_json(path: Path, remedy: str) -> dict[str, Any]:
    """Return the object of a JSON file; InputError with this remedy if there is none."""
    try:
        document = parse_json(read_text(path, remedy))
    except Malformed as error:
        raise InputError(path, "", f"is not JSON ({error})", remedy) from error
    if not isinstance(document, dict):
        raise InputError(path, "", "is not a JSON object", remedy)
    return document
