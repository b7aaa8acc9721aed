"""Boards through labgrid: which there are, and leases that die with their holder.

A place of labgrid is a board: its tags say which (`chip`, the MAC address from the factory) and in
which network (`cell`); its resource NetworkSerialPort is its line, by esptool's server for
RFC 2217 (docs/hardware.md). labgrid itself keeps a place for whoever took it, dead or alive. So the
name under which we take one says which process it is, and a keeper of its own gives it back when
that is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import logging
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from hil.base.errors import InputError, ToolMissing
from hil.rig.faults import Fault

PORT = 20408  # labgrid's own
ANSWER_S = 5.0
BACK_S = 60.0  # for a coordinator that is started anew
WAIT_S = 3600.0  # for a board that others have: the longest trials of two
LOOK_S = 1.0
# esptool's server answers no SET_CONTROL, and serves its next client up to 3 s after the last one:
# pyserial must not wait for the one, and may wait for the other.
_RFC2217 = "?ign_set_control&timeout=10"
_POWER = ("PowerPort", "PDUDaemonPort")  # how the names of labgrid's power resources end
_HOLDER = re.compile(r"(?P<host>[^/]+)/(?P<user>.+)-(?P<pid>\d+)-(?P<start>\d+)")
Told = TypeVar("Told")


@dataclass(frozen=True)
class Place:
    """A board as labgrid knows it. `holder`: who has it, or an empty text; `address`: of its line,
    as pyserial takes it, empty where no exporter has it; `power`: the class of the resource that
    switches it, empty where there is none; `stations`: for the background, by name (their
    resources NetworkService)."""

    name: str
    tags: dict[str, str] = field(default_factory=dict)
    holder: str = ""
    address: str = ""
    power: str = ""
    stations: tuple[dict[str, Any], ...] = ()


def coordinator() -> str:
    """Where the coordinator is: labgrid's own variable, else this host."""
    return os.environ.get("LG_COORDINATOR") or f"127.0.0.1:{PORT}"


def _started(pid: int) -> str:
    """When a process began, in ticks since boot: a process id alone is used again."""
    stat = Path("/proc", str(pid), "stat").read_text(encoding="ascii", errors="replace")
    return stat.rpartition(")")[2].split()[19]


def me() -> str:
    """The name under which this process takes places."""
    return f"{socket.gethostname()}/{getpass.getuser()}-{os.getpid()}-{_started(os.getpid())}"


def is_dead(holder: str) -> bool:
    """Whether a place is held by a process of this host that is gone."""
    found = _HOLDER.fullmatch(holder)
    if not found or found["host"] != socket.gethostname():
        return False
    try:
        return _started(int(found["pid"])) != found["start"]
    except OSError:
        return True


def load() -> Any:
    """labgrid's client, which takes a second to import."""
    try:
        from labgrid.remote import client  # noqa: PLC0415
    except ImportError as error:
        raise ToolMissing("labgrid", "boards", "run 'setup/install setup/boards'") from error
    return client


def _talk(act: Callable[[Any], Awaitable[Told]], holder: str) -> Told:
    """Connect under a name, act, disconnect.

    Raises:
        Fault: the coordinator does not answer.
    """
    client = load()
    host, _, user = holder.partition("/")
    os.environ["LG_HOSTNAME"], os.environ["LG_USERNAME"] = host, user
    logging.getLogger().setLevel(logging.CRITICAL)  # it tells each lost connection there

    async def talk() -> Told:
        session = client.ClientSession(coordinator(), asyncio.get_running_loop())
        try:
            await asyncio.wait_for(session.start(), ANSWER_S)
            return await asyncio.wait_for(act(session), ANSWER_S)
        finally:
            session.stopping.set()
            await session.stop()
            await session.close()

    try:
        return asyncio.run(talk())
    except (client.ServerError, TimeoutError) as error:
        raise Fault("coordinator gone", f"{coordinator()}: {error or 'no answer'}") from error
    except client.grpc.aio.AioRpcError as error:
        if error.code() == client.grpc.StatusCode.UNAVAILABLE:
            raise Fault("coordinator gone", f"{coordinator()}: {error.details()}") from error
        raise


def _exported(session: Any, place: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Class, group and name, and parameters of each resource of a place that an exporter has."""
    for exporter, groups in session.resources.items():
        for group, resources in groups.items():
            for name, entry in resources.items():
                # what is gone keeps its entry, without data
                if not entry.data or not entry.avail:
                    continue
                if place.hasmatch((exporter, group, entry.cls, name)):
                    yield entry.cls, f"{group}/{name}", entry.params


def _place(session: Any, name: str, place: Any) -> Place:
    address = power = ""
    stations = {}
    for kind, resource, params in _exported(session, place):
        if kind == "NetworkSerialPort":
            scheme = params.get("protocol", "rfc2217")
            options = _RFC2217 if scheme == "rfc2217" else ""
            address = address or f"{scheme}://{params['host']}:{params['port']}{options}"
        elif kind.endswith(_POWER):
            power = power or kind
        elif kind == "NetworkService":
            service = {key: params[key] for key in ("address", "port", "username") if key in params}
            stations[resource] = {"name": resource, "service": service}
    ordered = tuple(stations[key] for key in sorted(stations))
    return Place(name, dict(place.tags), place.acquired or "", address, power, ordered)


def every() -> list[Place]:
    """All boards, by name."""

    async def ask(session: Any) -> list[Place]:
        return [_place(session, name, place) for name, place in sorted(session.places.items())]

    return _talk(ask, me())


def _take(name: str) -> bool:
    """Take a place; False where somebody was faster."""
    client = load()
    messages = client.labgrid_coordinator_pb2

    async def ask(session: Any) -> bool:
        try:
            await session.stub.AcquirePlace(messages.AcquirePlaceRequest(placename=name))
        except client.grpc.aio.AioRpcError as error:
            if error.code() == client.grpc.StatusCode.FAILED_PRECONDITION:
                return False
            raise
        return True

    return _talk(ask, me())


def give_back(name: str, holder: str) -> None:
    """Release a place that `holder` has; nothing happens if it has it no more."""
    messages = load().labgrid_coordinator_pb2

    async def ask(session: Any) -> None:
        request = messages.ReleasePlaceRequest(placename=name, fromuser=holder)
        await session.stub.ReleasePlace(request)

    _talk(ask, holder)


def free_dead() -> list[str]:
    """Give back what processes of this host that are gone have left; the names of the places."""
    left = [place for place in every() if is_dead(place.holder)]
    for place in left:
        give_back(place.name, place.holder)
    return [place.name for place in left]


def _check(known: list[Place], wanted: str, stations: int) -> None:
    """InputError if no board is the one that is asked for, whoever has it."""
    if wanted and wanted not in {place.name for place in known}:
        names = ", ".join(place.name for place in known) or "none"
        raise InputError("board", wanted, "is not known to labgrid", f"known are: {names}")
    most = max((len(p.stations) for p in known if not wanted or p.name == wanted), default=0)
    if stations > most:
        raise InputError(
            f"board {wanted or 'any'}",
            "background_stations",
            f"{stations} are asked for, and it has {most}",
            "ask for fewer, or add stations (docs/hardware.md, 'Background stations')",
        )


def _take_one(known: list[Place], wanted: str, stations: int) -> Place | None:
    """A board that is free and now ours.

    Raises:
        Fault: the one that is asked for is free, and no exporter has its line.
    """
    for place in known:
        if place.holder or len(place.stations) < stations or wanted not in ("", place.name):
            continue
        if place.address and _take(place.name):
            return place
        if wanted and not place.address:
            raise Fault("exporter gone", f"nobody exports the line of {wanted}")
    return None


def _queue(wanted: str, stations: int, wait_s: float) -> Place:
    """A board that is ours, after those who had it; says once that it waits."""
    deadline, told = time.monotonic() + wait_s, False
    while True:
        free_dead()
        known = every()
        _check(known, wanted, stations)
        if place := _take_one(known, wanted, stations):
            return place
        if time.monotonic() >= deadline or not any(each.holder for each in known):
            raise InputError("board", wanted or "any", "is not free", "see 'thinwire boards'")
        if not told:
            print(f"waiting for a board ({wanted or 'any'})", file=sys.stderr, flush=True)
            told = True
        time.sleep(LOOK_S)


@contextlib.contextmanager
def lease(wanted: str = "", stations: int = 0, wait_s: float = WAIT_S) -> Iterator[Place]:
    """A board for this process: the one of that name, else any that is free and has a line; with so
    many stations for the background. Waits while others have them.

    Raises:
        Fault: the coordinator, or the exporter of the board, is gone.
        InputError: there is no such board, or none was free in all this time.
    """
    place = _queue(wanted, stations, wait_s)
    keeper = subprocess.Popen(
        [sys.executable, "-m", "hil.testbeds.hardware.lease_guard", place.name, me()],
        stdin=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        yield place
    finally:
        assert keeper.stdin is not None
        keeper.stdin.close()
        keeper.wait()


def still_mine(place: Place) -> bool:
    """Does this process still have the place? A coordinator that was started anew knows no holder:
    the place is taken again, unless somebody was faster.

    Raises:
        Fault: the coordinator is gone, and not back within BACK_S.
    """
    deadline = time.monotonic() + BACK_S
    while True:
        try:
            holder = next((each.holder for each in every() if each.name == place.name), None)
            return holder == me() or (holder == "" and _take(place.name))
        except Fault as fault:
            if fault.name != "coordinator gone" or time.monotonic() > deadline:
                raise
        time.sleep(0.5)
