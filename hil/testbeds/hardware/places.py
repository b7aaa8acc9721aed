"""Boards through labgrid: which exist, and leases that end with their holder.

A place of labgrid is a board. Its tags name the chip (`chip`, the MAC address from the factory) and
the network (`cell`). Its resource NetworkSerialPort is the serial line, served by esptool's server
for RFC 2217 (docs/hardware.md). labgrid reserves a place for its holder even after that has died.
So the holder's name identifies the process, and a lease guard releases the place when the process
has ended.
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
from hil.testbeds.hardware import wiring

PORT = 20408  # labgrid's own
ANSWER_S = 5.0
BACK_S = 60.0  # for a coordinator that restarts
WAIT_S = 3600.0  # for a board that is in use: two of the longest trials
LOOK_S = 1.0
# esptool's server does not answer SET_CONTROL, for which pyserial must not wait. It serves its next
# client up to 3 s after the last one, for which pyserial may wait.
_RFC2217 = "?ign_set_control&timeout=10"
_POWER = ("PowerPort", "PDUDaemonPort")  # how the names of labgrid's power resources end
_HOLDER = re.compile(r"(?P<host>[^/]+)/(?P<user>.+)-(?P<pid>\d+)-(?P<start>\d+)")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Place:
    """A board as labgrid knows it.

    Attributes:
        name, tags: of the place.
        holder: who has acquired it, or an empty text.
        address: of its serial line, for pyserial; empty if no exporter offers it.
        power: the class of the resource that switches its power; empty if there is none.
        stations: of the background, by name (resources NetworkService).
    """

    name: str
    tags: dict[str, str] = field(default_factory=dict)
    holder: str = ""
    address: str = ""
    power: str = ""
    stations: tuple[dict[str, Any], ...] = ()


def coordinator() -> str:
    """Return the coordinator's address, from labgrid's own variable, else on this host."""
    return os.environ.get("LG_COORDINATOR") or f"127.0.0.1:{PORT}"


def _started(pid: int) -> str:
    """Return when a process started, in ticks since boot, because PIDs are reused."""
    stat = Path("/proc", str(pid), "stat").read_text(encoding="ascii", errors="replace")
    return stat.rpartition(")")[2].split()[19]


def me() -> str:
    """Return the name under which this process acquires places."""
    return f"{socket.gethostname()}/{getpass.getuser()}-{os.getpid()}-{_started(os.getpid())}"


def is_dead(holder: str) -> bool:
    """Return whether the holder of a place is a process of this host that has ended."""
    found = _HOLDER.fullmatch(holder)
    if not found or found["host"] != socket.gethostname():
        return False
    try:
        return _started(int(found["pid"])) != found["start"]
    except OSError:
        return True


def load() -> Any:
    """Import labgrid's client, which takes a second."""
    try:
        from labgrid.remote import client  # noqa: PLC0415
    except ImportError as error:
        raise ToolMissing(
            "labgrid", "boards", "run 'setup/install setup/boards' in a clone"
        ) from error
    return client


def _talk(act: Callable[[Any], Awaitable[Answer]], holder: str) -> Answer:
    """Connect under the name `holder`, call `act`, disconnect; return its answer.

    Raises:
        Fault: the coordinator does not answer.
    """
    client = load()
    host, _, user = holder.partition("/")
    os.environ["LG_HOSTNAME"], os.environ["LG_USERNAME"] = host, user
    logging.getLogger().setLevel(logging.CRITICAL)  # it logs each lost connection there

    async def talk() -> Answer:
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
    """Yield class, group/name and parameters of each resource of a place that is exported."""
    for exporter, groups in session.resources.items():
        for group, resources in groups.items():
            for name, entry in resources.items():
                # a resource that has gone keeps its entry, without data
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
    """Return all boards, sorted by name."""

    async def ask(session: Any) -> list[Place]:
        return [_place(session, name, place) for name, place in sorted(session.places.items())]

    return _talk(ask, me())


def _acquire(name: str) -> bool:
    """Acquire a place; return False if it has been acquired meanwhile."""
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
    """Release a place of `holder`; nothing happens if `holder` no longer has it."""
    messages = load().labgrid_coordinator_pb2

    async def ask(session: Any) -> None:
        request = messages.ReleasePlaceRequest(placename=name, fromuser=holder)
        await session.stub.ReleasePlace(request)

    _talk(ask, holder)


def free_dead() -> list[str]:
    """Release the places of ended processes of this host; return the places' names."""
    left = [place for place in every() if is_dead(place.holder)]
    for place in left:
        give_back(place.name, place.holder)
    return [place.name for place in left]


def _check(known: list[Place], wanted: str, stations: int, tags: wiring.Tags) -> None:
    """Raise InputError if no board, in use or not, meets the request."""
    if wanted and wanted not in {place.name for place in known}:
        names = ", ".join(place.name for place in known) or "none"
        raise InputError("board", wanted, "is not known to labgrid", f"known are: {names}")
    wiring.check(((p.name, p.tags) for p in known if wanted in ("", p.name)), tags)
    most = max((len(p.stations) for p in known if wanted in ("", p.name)), default=0)
    if stations > most:
        raise InputError(
            f"board {wanted or 'any'}",
            "background_stations",
            f"{stations} are asked for, but it has {most}",
            "ask for fewer, or add stations (docs/hardware.md, 'Background stations')",
        )


def _acquire_one(known: list[Place], wanted: str, stations: int, tags: wiring.Tags) -> Place | None:
    """Acquire a free board that meets the request; return None if there is none.

    Raises:
        Fault: the requested board is free, but no exporter offers its line.
    """
    for place in known:
        fits = len(place.stations) >= stations and wiring.meets(place.tags, tags)
        if place.holder or not fits or wanted not in ("", place.name):
            continue
        if place.address and _acquire(place.name):
            return place
        if wanted and not place.address:
            raise Fault("exporter gone", f"no exporter offers the line of {wanted}")
    return None


def _queue(wanted: str, stations: int, tags: wiring.Tags, wait_s: float) -> Place:
    """Acquire a board, if need be after other users; print once that it waits."""
    deadline, announced = time.monotonic() + wait_s, False
    while True:
        free_dead()
        known = every()
        _check(known, wanted, stations, tags)
        if place := _acquire_one(known, wanted, stations, tags):
            return place
        if time.monotonic() >= deadline or not any(each.holder for each in known):
            raise InputError("board", wanted or "any", "is not free", "see 'thinwire boards'")
        if not announced:
            print(f"waiting for a board ({wanted or 'any'})", file=sys.stderr, flush=True)
            announced = True
        time.sleep(LOOK_S)


@contextlib.contextmanager
def lease(
    wanted: str = "", stations: int = 0, wait_s: float = WAIT_S, *, tags: wiring.Tags = wiring.ANY
) -> Iterator[Place]:
    """Acquire a board for a block: the one of that name, else any free one with a line. It has at
    least so many background stations, and these tags. Waits up to `wait_s` while such are in use.

    Raises:
        Fault: the coordinator, or the exporter of the board, does not answer.
        InputError: there is no such board, or none became free.
    """
    place = _queue(wanted, stations, tags, wait_s)
    guard = subprocess.Popen(
        [sys.executable, "-m", "hil.testbeds.hardware.lease_guard", place.name, me()],
        stdin=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        yield place
    finally:
        assert guard.stdin is not None
        guard.stdin.close()
        guard.wait()


def still_mine(place: Place) -> bool:
    """Return whether this process still holds the place. After a restart the coordinator knows no
    holder; then the place is acquired again, unless another user was faster.

    Raises:
        Fault: the coordinator has not answered for BACK_S.
    """
    deadline = time.monotonic() + BACK_S
    while True:
        try:
            holder = next((each.holder for each in every() if each.name == place.name), None)
            return holder == me() or (holder == "" and _acquire(place.name))
        except Fault as fault:
            if fault.name != "coordinator gone" or time.monotonic() > deadline:
                raise
        time.sleep(0.5)
