"""Servers of other authors that clients of the league are tried before (league/servers)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.base.documents import read_yaml
from hil.base.paths import ROOT
from hil.design import protocols
from hil.design.device import PROGRAM, Device
from hil.design.parameters import effective
from hil.design.tryfile import Part, TryFile

FOLDER = ROOT / "league" / "servers"
FILE = "server.yaml"


@dataclass(frozen=True)
class Server:
    """A server, as its server.yaml states it.

    Attributes:
        parameters: those of a trial before this server.
        build: the command that makes its files; empty if there is none.
        part: the program; None for a server of the laboratory.
    """

    name: str
    path: Path
    parameters: dict[str, Any]
    build: str = ""
    part: Part | None = None


def names(folder: Path = FOLDER) -> list[str]:
    """Return the names of the servers, sorted."""
    return sorted(path.parent.name for path in folder.glob(f"*/{FILE}"))


def read(name: str, folder: Path = FOLDER) -> Server:
    """Return the server of a name."""
    path = folder / name / FILE
    document = read_yaml(path)
    parameters = {"protocol": document["protocol"]}
    if "peer" in document:
        return Server(name, path, parameters | {"peer": document["peer"]})
    parameters |= {"peer": protocols.PROGRAM_PEER, "server_port": document["port"]}
    device = Device(PROGRAM, (document["program"], *document["arguments"]), {})
    files = tuple(Path(each) for each in document["files"])
    return Server(name, path, parameters, document["build"], Part(device, files))


def before(tried: TryFile, server: Server) -> TryFile:
    """Return a client's file with another server.

    Raises:
        InputError: the client cannot be tried before it.
    """
    parameters = effective(tried.parameters | server.parameters, server.path)
    return dataclasses.replace(tried, parameters=parameters, server=server.part)


def usual(tried: TryFile) -> str:
    """Return the name of the server that a client's own file names."""
    row = protocols.protocols()[tried.parameters["protocol"]]
    server = row.servers[tried.parameters["peer"]]
    return server.product or server.name
