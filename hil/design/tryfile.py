"""thinwire.yaml: a client of the user's own, what it is tried against, and what must hold.

Its keys are those of workflow/schemas/try.schema.json; docs/try.md explains them. It becomes one
trial of the study `try` for each seed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from hil.base.documents import Malformed, parse_yaml, read_text, yaml_line
from hil.base.errors import InputError
from hil.base.schema import nearest, parameter_names, validate
from hil.design import board_rules, expectations, protocols
from hil.design.device import IMAGE, PROGRAM, TAP, Device
from hil.design.expectations import Expectation
from hil.design.facts import Facts
from hil.design.parameters import FOREIGN, effective
from hil.design.trials import DEFAULT_BOARD, Trial

FILE = "thinwire.yaml"
STUDY = "try"
SCRIPT, ENGINE = "script", "engine"
_KINDS = (PROGRAM, SCRIPT, TAP, IMAGE, ENGINE)
_PROGRAMS = (PROGRAM, SCRIPT, TAP)
# Kinds of device -> the keys beside their name that they have.
_KEYS = {"arguments": (*_PROGRAMS, IMAGE), "environment": _PROGRAMS}
# Parameters that only studies state.
_OF_STUDIES = (FOREIGN, "client", "server_program")
_PREFIXED = {"background": "background_"}
# YAML lets no plain text begin with `>`, so such a limit gets its quotation marks here.
_BARE = re.compile(r"(?<=: )(>(?:=\s*| +)[-+]?\d[^,}#\n]*?)(?=\s*(?:[,}\n]|#|$))")
_SPANS = {"server": "restart_spans_s", "link": "outage_spans_s"}


@dataclass(frozen=True)
class Part:
    """A program of the user's: how it is started, and the files or folders that it needs beside
    itself, relative to the folder; None for the whole folder."""

    device: Device
    files: tuple[Path, ...] | None


@dataclass(frozen=True)
class TryFile:
    """A thinwire.yaml, read and checked.

    Attributes:
        path: of the file.
        kind: one of `program`, `script`, `tap`, `image` and `engine`.
        board: that runs the device.
        parameters: the effective parameters of each trial.
        seeds: the numbers of the trials.
        build: the command that makes the device's files; empty if there is none.
        device: the program that is the device; None for the laboratory's own engines.
        server: the program that is the server; None for the laboratory's own servers.
    """

    path: Path
    kind: str
    board: str
    parameters: dict[str, Any]
    seeds: tuple[int, ...]
    expectations: list[Expectation]
    build: str = ""
    device: Part | None = None
    server: Part | None = None

    @property
    def folder(self) -> Path:
        return self.path.parent

    def trials(self) -> list[Trial]:
        """Return one trial for each seed: its repetition number is the seed's."""
        return [
            Trial(
                STUDY,
                {},
                seed,
                self.parameters,
                board=self.board,
                device=self.device.device if self.device else None,
                server=self.server.device if self.server else None,
            )
            for seed in self.seeds
        ]


class _Reader:
    """Turns a document into a TryFile; errors name the line of a key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        command = shlex.join(["thinwire", "new", "try", str(path.parent)])
        text = read_text(path, f"write one: {command}")
        self._text = _BARE.sub(r'"\1"', text)
        try:
            self.document = parse_yaml(self._text)
        except Malformed as error:
            raise InputError(path, "", f"is not valid YAML: {error}", "correct it") from error
        validate(self.document, "try", path, self._line)

    def _line(self, key: Iterable[str | int]) -> int | None:
        return yaml_line(self._text, list(key))

    def where(self, *key: str) -> str:
        """Return a key with its line, as errors have it."""
        name, line = ".".join(key), self._line(key)
        return f"line {line}: {name}" if line else name

    def refuse(self, key: tuple[str, ...], problem: str, remedy: str) -> NoReturn:
        raise InputError(self.path, self.where(*key), problem, remedy)

    def kind(self) -> str:
        """Return the one kind of the device."""
        given = [kind for kind in _KINDS if kind in self.document["device"]]
        if len(given) != 1:
            problem = f"has {' and '.join(given)}" if given else "names nothing that could run"
            self.refuse(("device",), problem, f"give one of {', '.join(_KINDS)}")
        for key, kinds in _KEYS.items():
            if key in self.document["device"] and given[0] not in kinds:
                self.refuse(("device", key), f"does not apply to {given[0]}", "remove it")
        if "files" in self.document and given[0] not in _PROGRAMS:
            self.refuse(("files",), f"does not apply to {given[0]}", "remove it")
        return given[0]

    def part(self, section: str, kind: str, key: str, files: list[Any] | None) -> Part:
        """Return the program that a section names."""
        given = self.document[section]
        name = given[key]
        below = self.path.parent / name
        if "/" not in name and (key in {SCRIPT, IMAGE} or below.is_file()):
            name = f"./{name}"
        argv = (name, *map(str, given.get("arguments", ())))
        environment = {each: str(value) for each, value in given.get("environment", {}).items()}
        paths = None if files is None else tuple(Path(str(each)) for each in files)
        return Part(Device(kind, argv, environment), paths)

    def server(self) -> tuple[dict[str, Any], Part | None]:
        """Return the parameters that server and protocol stand for, and the user's own server."""
        given, protocol = self.document.get("server"), self.document.get("protocol")
        known = protocols.protocols()
        if protocol is not None and protocol not in known:
            self.refuse(
                ("protocol",), f"unknown protocol '{protocol}'", nearest(protocol, [*known])
            )
        if isinstance(given, dict):
            if "program" not in given:
                self.refuse(("server",), "names no program", "add program, or give a server's name")
            if protocol is None:
                self.refuse(("server",), "has no protocol", "add 'protocol: mqtt', for instance")
            port = {"server_port": given["port"]} if "port" in given else {}
            part = self.part("server", PROGRAM, "program", given.get("files"))
            return {"protocol": protocol, "peer": protocols.PROGRAM_PEER, **port}, part
        if given is None:
            return {"protocol": protocol} if protocol else {}, None
        found = [(one, peer) for one, peer in _named(given) if protocol in {None, one}]
        if not found:
            names = [name for name in _server_names() if protocol is None or _named(name, protocol)]
            problem = f"no server '{given}'" + (f" speaks {protocol}" if protocol else "")
            self.refuse(("server",), problem, nearest(given, names))
        if len(found) > 1:
            spoken = " or ".join(dict.fromkeys(one for one, _ in found))
            self.refuse(("server",), f"'{given}' speaks {spoken}", "add the protocol")
        return {"protocol": found[0][0], "peer": found[0][1]}, None

    def conditions(self) -> dict[str, Any]:
        """Return the parameters of link, cell, background, interruptions and faults."""
        document = self.document
        if "link" in document and "cell" in document:
            self.refuse(("cell",), "is given, and link, too", "give one of the two")
        if "background" in document and "cell" not in document:
            self.refuse(("background",), "needs a cell", "add 'cell: {wifi_standard: n}'")
        found: dict[str, Any] = {"link": "air" if "cell" in document else "netem"}
        for section in ("link", "cell", "background"):
            prefix = _PREFIXED.get(section, "")
            found |= {prefix + key: value for key, value in document.get(section, {}).items()}
        for key, spans in document.get("interruptions", {}).items():
            found[_SPANS[key]] = spans
        if document.get("faults"):
            found["faults"] = document["faults"]
        return found

    def check_names(self, meant: dict[str, Any]) -> None:
        """Check the names of `parameters`, and that nothing is stated twice."""
        for name in self.document.get("parameters", {}):
            if name not in parameter_names() or name in _OF_STUDIES:
                hint = nearest(name, parameter_names())
                self.refuse(("parameters", name), "unknown parameter", hint)
            if name in meant:
                self.refuse(("parameters", name), "is stated elsewhere in this file", "remove it")

    def effective(self, given: dict[str, Any], board: str) -> dict[str, Any]:
        """Return the parameters of the trials; an error names the key of this file."""
        try:
            found = effective(given, self.path)
            board_rules.check(Facts.of(found), board, self.path)
        except InputError as error:
            key = self.key_of(error.key.partition(".")[0])
            name = self.where(*key) if key else error.key
            raise InputError(self.path, name, error.problem, error.remedy) from error
        return found

    def key_of(self, parameter: str) -> tuple[str, ...]:
        """Return where this file states a parameter; nothing if it does not."""
        document = self.document
        for section in ("parameters", "link", "cell"):
            if parameter in document.get(section, {}):
                return section, parameter
        for key, spans in _SPANS.items():
            if parameter == spans and key in document.get("interruptions", {}):
                return "interruptions", key
        short = parameter.removeprefix("background_")
        if short in document.get("background", {}):
            return "background", short
        if parameter in {"mode", "qos"} and ENGINE in document["device"]:
            return "device", ENGINE
        top = {"peer": "server", "server_port": "server"}.get(parameter, parameter)
        return (top,) if top in document else ()


def _named(name: str, protocol: str | None = None) -> list[tuple[str, str]]:
    """Return protocol and peer of each server with a name: of a protocol, a peer or a product."""
    return [
        (row.name, peer)
        for row in protocols.protocols().values()
        for peer, server in row.servers.items()
        if protocol in {None, row.name} and name in {server.name, server.product}
    ]


def _server_names() -> list[str]:
    """Return every name that a server has."""
    rows = [row for one in protocols.protocols().values() for row in one.servers.values()]
    names = {name for row in rows for name in (row.name, row.product)}
    return sorted(names - {"", protocols.PROGRAM_PEER})


def _seeds(given: int | list[int]) -> tuple[int, ...]:
    return tuple(range(1, given + 1)) if isinstance(given, int) else tuple(given)


def document(path: Path) -> dict[str, Any]:
    """Return the contents of a thinwire.yaml; `path` is the file, or the folder that contains it.

    Raises:
        InputError: there is none, or it does not fit the schema.
    """
    return dict(_Reader(path / FILE if path.is_dir() else path).document)


def read(path: Path) -> TryFile:
    """Read a thinwire.yaml; `path` is the file, or the folder that contains it.

    Raises:
        InputError: there is none, or it is invalid; names line, key, problem and remedy.
    """
    reader = _Reader(path / FILE if path.is_dir() else path)
    document = reader.document
    kind = reader.kind()
    spoken, server = reader.server()
    given = {**spoken, **reader.conditions(), "duration_s": document["duration_s"]}
    if kind == ENGINE:
        given["mode"] = document["device"][ENGINE]
    else:
        given[FOREIGN] = True
        if "protocol" not in given:
            reader.refuse((), "names neither server nor protocol", "add 'server: mosquitto', say")
    reader.check_names(given)
    given |= document.get("parameters", {})
    device = None
    if kind != ENGINE:
        started = {SCRIPT: PROGRAM}.get(kind, kind)
        device = reader.part("device", started, kind, document.get("files"))
    board = {PROGRAM: PROGRAM, SCRIPT: PROGRAM, TAP: TAP}.get(kind, DEFAULT_BOARD)
    where = [reader.where("expect", name) for name in document["expect"]]
    return TryFile(
        reader.path,
        kind,
        board,
        reader.effective(given, board),
        _seeds(document.get("seeds", 1)),
        expectations.parse(document["expect"], str(reader.path), where),
        document.get("build", ""),
        device,
        server,
    )
