"""Where two runs of a trial diverge: the first event that differs, its time and its stream.

A bundle holds streams of events: the board's log, the log of each server and load, and the frames
on the wire and in the air. Each stream is compared in its own order. The earliest divergence points
to the cause; the others are its consequences.
"""

from __future__ import annotations

import itertools
import struct
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.base.documents import read_json, read_lines
from hil.base.errors import InputError
from hil.bundle import ipv4, pcapng
from hil.bundle import store as bundle

BOARD = "board"
_CAPTURES = {"wire": "wire.pcapng.gz", "air": "air.pcapng.gz"}
_PRINTED = ".out.txt"
_SENDERS = {ipv4.BOARD: BOARD, ipv4.SERVER: "servers"}
_REMEDY = "name a bundle's folder"
_FLAGS = ("FIN", "SYN", "RST", "PSH", "ACK")


def _seconds(time_ns: int) -> str:
    return "{}.{:09}".format(*divmod(time_ns, 10**9))


@dataclass(frozen=True)
class Event:
    """An event of a stream: stamp in ns since 1970, a readable text, all of its bytes."""

    time_ns: int
    text: str
    content: bytes


@dataclass(frozen=True)
class Divergence:
    """The position, from 1, at which a stream of two bundles diverges, and the event of each there;
    None if one stream has ended."""

    stream: str
    position: int
    events: tuple[Event | None, Event | None]

    @property
    def time_ns(self) -> int:
        """The stamp of the earlier event."""
        return min(event.time_ns for event in self.events if event)

    @property
    def where(self) -> str:
        """Time, stream and position."""
        return f"at {_seconds(self.time_ns)} s, {self.stream}, event {self.position}"

    def __str__(self) -> str:
        first, second = self.events
        lines = [f"{self.where}:"]
        for name, event in zip("AB", self.events, strict=True):
            shown = f"{_seconds(event.time_ns)} {event.text}" if event else "has ended"
            lines.append(f"  {name}: {shown}")
        if first and second and first.content == second.content:
            lines.append(f"  the same, {second.time_ns - first.time_ns} ns later in B")
        elif first and second and first.text == second.text:
            pairs = enumerate(itertools.zip_longest(first.content, second.content))
            lines.append(f"  byte {next(at for at, (a, b) in pairs if a != b)} differs")
        return "\n".join(lines)


def _describe(data: bytes) -> str:
    """Describe a frame: who sends it, over which protocol."""
    text = f"{_SENDERS.get(ipv4.sender(data), 'others')} send {len(data)} bytes"
    packet = ipv4.packet(data)
    if packet and packet.protocol in (ipv4.TCP, ipv4.UDP) and len(data) >= packet.at + 8:
        at = packet.at
        ports = "{} > {}".format(*struct.unpack_from(">HH", data, at))
        if packet.protocol == ipv4.UDP:
            return f"{text}: UDP {ports}"
        sequence, answer = struct.unpack_from(">II", data, at + 4)
        flags = [name for bit, name in enumerate(_FLAGS) if data[at + 13] >> bit & 1]
        return f"{text}: TCP {ports} {' '.join(flags)} seq {sequence} ack {answer}"
    return text


def _lines(path: Path) -> list[tuple[dict[str, Any], str]]:
    """Return each line of a log: its value, and its text."""
    try:
        return list(read_lines(path))
    except (OSError, ValueError) as error:
        raise InputError(path, "", f"cannot be read ({error})", _REMEDY) from error


def _stamp_ns(text: str) -> int:
    """Return the stamp of a server's line, whose last digits a JSON number would lose."""
    seconds, _, fraction = text.partition(":")[2].partition(",")[0].partition(".")
    return int(seconds) * 10**9 + int(fraction.ljust(9, "0"))


def _board_began_ns(board: list[dict[str, Any]], server: list[tuple[dict[str, Any], str]]) -> int:
    """Estimate when the board's clock was zero, from its first message that arrived."""
    sent = {line["seq"]: line["t"] for line in board if line.get("ev") == "sent"}
    for line, text in server:
        if line.get("ev") == "received" and "from" not in line and line.get("seq") in sent:
            return _stamp_ns(text) - int(sent[line["seq"]]) * 1000
    return 0


def _zero_ns(power_on: dict[str, Any]) -> int:
    """Return when the clock of one of several devices was 0, ns since 1970, to the microsecond."""
    return round(power_on["at_s"] * 1e6) * 1000 + int(power_on.get("clock_us", 0)) * 1000


def streams(folder: Path) -> dict[str, list[Event]]:
    """Return the events of a bundle, by stream.

    Raises:
        InputError: it is not a bundle, or it is damaged.
    """
    board, server = _lines(folder / "board.jsonl"), _lines(folder / "server.jsonl")
    began_ns = _board_began_ns([line for line, _ in board], server)
    found: dict[str, list[Event]] = defaultdict(list)
    for line, text in board:
        stamp = began_ns + int(line.get("t", 0)) * 1000
        found[BOARD].append(Event(stamp, text, text.encode()))
    if (folder / bundle.DEVICES).exists():
        others = _lines(folder / bundle.DEVICES)
        zeros_ns = {line.get("device"): _zero_ns(line) for line, _ in others if "at_s" in line}
        for line, text in others:
            stamp = zeros_ns.get(line.get("device"), began_ns) + int(line.get("t", 0)) * 1000
            found[f"board {line.get('device')}"].append(Event(stamp, text, text.encode()))
    for line, text in server:
        who = str(line.get("server", "server"))
        found[who].append(Event(_stamp_ns(text), text, text.encode()))
    for stream, name in _CAPTURES.items():
        if (folder / name).exists() or name in bundle.FILES:
            for frame in pcapng.read(folder / name):
                found[stream].append(Event(frame.time_ns, _describe(frame.data), frame.data))
    return dict(found)


def _first(stream: str, one: list[Event], two: list[Event]) -> Divergence | None:
    for position, pair in enumerate(itertools.zip_longest(one, two), start=1):
        if pair[0] != pair[1]:
            return Divergence(stream, position, pair)
    return None


def divergences(one: Path, two: Path) -> list[Divergence]:
    """Return the divergence of each stream of two bundles that differs, the earliest first."""
    first, second = streams(one), streams(two)
    names = sorted(set(first) | set(second))
    found = [_first(name, first.get(name, []), second.get(name, [])) for name in names]
    return sorted((each for each in found if each), key=lambda each: each.time_ns)


def files(one: Path, two: Path) -> list[str]:
    """Return the names of the files in which two bundles differ."""
    names = {path.name for folder in (one, two) for path in folder.iterdir()} - {bundle.SUMS}
    contents = [
        {name: (folder / name).read_bytes() for name in names if (folder / name).is_file()}
        for folder in (one, two)
    ]
    return [name for name in sorted(names) if contents[0].get(name) != contents[1].get(name)]


def texts(one: Path, two: Path) -> list[str]:
    """Return the first line that differs of each text that a program printed."""
    found = []
    for name in files(one, two):
        if not name.endswith(_PRINTED):
            continue
        lines = [
            (folder / name).read_text(encoding="utf-8", errors="replace").splitlines()
            if (folder / name).exists()
            else []
            for folder in (one, two)
        ]
        for number, pair in enumerate(itertools.zip_longest(*lines), start=1):
            if pair[0] != pair[1]:
                shown = ("has ended" if line is None else line for line in pair)
                sides = (f"\n  {side}: {line}" for side, line in zip("AB", shown, strict=True))
                found.append(f"{name}, line {number}:{''.join(sides)}")
                break
    return found


def _flat(document: Any, key: str = "") -> dict[str, Any]:
    """Return the values of a nested document by their keys, joined by dots."""
    if not isinstance(document, dict):
        return {key: document}
    flat: dict[str, Any] = {}
    for name, value in document.items():
        flat |= _flat(value, f"{key}.{name}" if key else name)
    return flat


def conditions(one: Path, two: Path) -> list[str]:
    """Return a line for each key of trial.json and lab.json in which two bundles differ. Runs under
    different conditions may diverge anywhere."""
    found = []
    for name in ("trial.json", "lab.json"):
        flat = [_flat(read_json(folder / name, _REMEDY)) for folder in (one, two)]
        for key in sorted(set(flat[0]) | set(flat[1])):
            values = [side.get(key, "nothing") for side in flat]
            if values[0] != values[1]:
                found.append(f"{name}: {key}: {values[0]} in A, {values[1]} in B")
    return found
