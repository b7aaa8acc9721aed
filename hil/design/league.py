"""The league: clients and servers that are none of this project's, by the names of their folders.

A folder of league/clients has a thinwire.yaml (tryfile.py), one of league/servers a server.yaml. A
study names them as levels of the factors `client` and `server_program`. What a folder states counts
where the study states nothing else.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import load_yaml, nearest
from hil.design import protocols, tryfile
from hil.design.device import PROGRAM, Device
from hil.design.trials import Trial
from hil.design.tryfile import Part

FOLDER = ROOT / "league"
SERVER_FILE = "server.yaml"
CLIENT, SERVER = "client", "server_program"  # parameters
# Where the packages of a factor's levels are built, below the project.
PACKAGES = {CLIENT: "build/league/clients/{name}.tar", SERVER: "build/league/servers/{name}.tar"}
_FOLDERS = {CLIENT: ("clients", tryfile.FILE), SERVER: ("servers", SERVER_FILE)}


@dataclass(frozen=True)
class Member:
    """A client or a server of the league.

    Attributes:
        path: of its file.
        parameters: what it states of a trial's parameters.
        build: the command that makes its files; empty if there is none.
        part: the program; None for firmware of this project.
        board: that a client runs on; empty for a server.
    """

    name: str
    path: Path
    parameters: dict[str, Any]
    build: str
    part: Part | None
    board: str = ""

    @property
    def missing(self) -> str:
        """The program that its build command needs and this host lacks; empty if none. Firmware
        of this project is built by rules of its own."""
        return missing(self.build) if self.part else ""


def names(factor: str) -> list[str]:
    """Return the levels of CLIENT or SERVER, sorted."""
    below, file = _FOLDERS[factor]
    return sorted(path.parent.name for path in FOLDER.glob(f"{below}/*/{file}"))


def missing(build: str) -> str:
    """Return the program that a build command needs and this host lacks; empty if none."""
    words = [word for word in shlex.split(build) if "=" not in word]
    needed = words[:1] + [word for word in words if word.startswith("/")]
    return next((word for word in needed if shutil.which(word) is None), "")


@cache
def client(name: str) -> Member:
    """Return the client of a name.

    Raises:
        InputError: its file is invalid.
    """
    tried = tryfile.read(FOLDER / "clients" / name)
    parameters = tried.parameters | {CLIENT: name}
    return Member(name, tried.path, parameters, tried.build, tried.device, tried.board)


@cache
def server(name: str) -> Member:
    """Return the server of a name.

    Raises:
        InputError: its file is invalid.
    """
    return read_server(FOLDER / "servers" / name / SERVER_FILE)


def read_server(path: Path) -> Member:
    """Return the server in a file, which is named by its folder.

    Raises:
        InputError: the file is invalid.
    """
    document, name = load_yaml(path, "server"), path.parent.name
    if document["protocol"] not in protocols.protocols():
        problem = f"unknown protocol '{document['protocol']}'"
        raise InputError(
            path, "protocol", problem, nearest(document["protocol"], [*protocols.protocols()])
        )
    parameters = {
        "protocol": document["protocol"],
        "peer": protocols.PROGRAM_PEER,
        "server_port": document["port"],
        SERVER: name,
    }
    device = Device(PROGRAM, (document["program"], *document["arguments"]), {})
    files = tuple(Path(each) for each in document["files"])
    return Member(name, path, parameters, document["build"], Part(device, files))


@dataclass(frozen=True)
class Members:
    """The client and the server that a trial names; None where it names none."""

    client: Member | None
    server: Member | None

    @property
    def _both(self) -> list[Member]:
        return [one for one in (self.client, self.server) if one]

    @property
    def parameters(self) -> dict[str, Any]:
        """What they state; the server's words count before the client's."""
        return {name: value for one in self._both for name, value in one.parameters.items()}

    @property
    def boards(self) -> list[str]:
        """The board of the client; empty without one."""
        return [self.client.board] if self.client else []

    @property
    def programs(self) -> tuple[Device | None, Device | None]:
        """The programs that are the device and the server of the trial."""
        client, server = (
            one.part.device if one and one.part else None for one in (self.client, self.server)
        )
        return client, server

    @property
    def missing(self) -> str:
        """A program that this host lacks to build them; empty if it has all."""
        return next((one.missing for one in self._both if one.missing), "")


class Absent(NamedTuple):
    """A client and a server (empty: the client's usual one) of which this host lacks `program` to
    build one."""

    client: str
    server: str
    program: str


def members(given: dict[str, Any], source: str | Path) -> Members:
    """Return the client and the server that parameters of a trial name.

    Raises:
        InputError: there is none of that name, or the two speak different protocols.
    """
    found: dict[str, Member] = {}
    for factor, read in ((CLIENT, client), (SERVER, server)):
        if (name := given.get(factor)) is None:
            continue
        known = names(factor)
        if name not in known:
            folder = f"league/{_FOLDERS[factor][0]}"
            raise InputError(
                source, factor, f"'{name}' is no folder of {folder}", nearest(name, known)
            )
        found[factor] = read(name)
    spoken = {one.name: one.parameters["protocol"] for one in found.values()}
    if len(set(spoken.values())) > 1:
        words = " and ".join(f"{name} speaks {protocol}" for name, protocol in spoken.items())
        raise InputError(source, SERVER, words, "name a client and a server of one protocol")
    return Members(found.get(CLIENT), found.get(SERVER))


def package(factor: str, name: str) -> Path:
    """Return the file of a package."""
    return ROOT / PACKAGES[factor].format(name=name)


def absent(trials: Iterable[Trial]) -> dict[str, Absent]:
    """Return the trials whose client or server this host cannot build, by their names."""
    found = {}
    for trial in trials:
        named = members(trial.parameters, trial.study)
        if named.missing:
            client, server = (one.name if one else "" for one in (named.client, named.server))
            found[trial.id] = Absent(client, server, named.missing)
    return found
