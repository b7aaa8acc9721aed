"""Events that the rig adds to server.jsonl: restarts, outages, faults, and how many processes, open
files and how much memory the laboratory uses."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hil.design.facts import Facts
from hil.peers import Server
from hil.peers.log import stamp_text
from hil.system.footprint import footprint, own_kib

_LAB = "lab"
_OVERLAP_BYTES = 64


def sample_times_s(facts: Facts) -> list[int]:
    """Return when to sample the laboratory's use of resources, in s since the trial's start."""
    if not (period_s := facts.footprint_s):
        return []
    return list(range(period_s, int(facts.sending_s) + 1, period_s))


def tail(log: Path, seen: int) -> tuple[bytes, int]:
    """Return a log's contents after `seen` bytes, preceded by enough bytes to complete the name of
    an event, and the log's size."""
    with log.open("rb") as file:
        file.seek(max(0, seen - _OVERLAP_BYTES))
        news = file.read()
        return news, file.tell()


class EventLog:
    """Events of one trial with their stamps."""

    def __init__(self) -> None:
        self._events: list[
            tuple[int, str, str, dict[str, Any]]
        ] = []  # stamp in ns, source, event, fields
        self._halted = False

    def _note(self, who: str, event: str, **more: int) -> None:
        self._events.append((time.time_ns(), who, event, more))

    def halt(self, server: Server) -> None:
        """Stop a server for a restart."""
        self._note(server.name, "stopping")
        self._halted = True
        server.halt()

    def resume(self, server: Server) -> None:
        """Start a server again after `halt`."""
        server.resume()
        self._halted = False
        self._note(server.name, "started")

    def server_away(self, away: bool) -> None:
        """Note, without an event, that the server has no process now, or has one again."""
        self._halted = away

    def faults(self, events: Iterable[tuple[int, str, dict[str, Any]]]) -> None:
        """Add the past events of injected faults: stamp in ns, name and fields."""
        self._events += [(stamp, "link", name, fields) for stamp, name, fields in events]

    def outages(self, spans: Iterable[tuple[int, int]]) -> None:
        """Add the past events of the link's outages, given by begin and end in ns."""
        for span in spans:
            for stamp, event in zip(span, ("outage", "outage_over"), strict=True):
                if stamp <= time.time_ns():
                    self._events.append((stamp, "link", event, {}))

    def footprints(self, server: Server) -> None:
        """Sample the resources of the whole laboratory, and of the server unless it is down."""
        roots = {_LAB: os.getpid()}
        if not self._halted:
            roots[server.name] = server.children[server.front].pid
        for name, root in roots.items():
            self._note(name, "footprint", **footprint(root, own_kib))

    def lines(self, nonce: str) -> Iterator[str]:
        """Yield its lines of server.jsonl."""
        for stamp, who, event, more in self._events:
            fields = {"nonce": nonce, "server": who, "ev": event, **more}
            text = json.dumps(fields, separators=(",", ":"))[1:]
            yield f'{{"t":{stamp_text(stamp)},{text}\n'
