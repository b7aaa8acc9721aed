"""What the rig itself does and sees during a trial, for server.jsonl: restarts, outages, and what
the laboratory takes of the machine that it runs in."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator

from hil.design.facts import Facts
from hil.peers import Server
from hil.peers.log import stamp_text
from hil.system.footprint import footprint, own_kib

_LAB = "lab"


def sample_times_s(facts: Facts) -> list[int]:
    """When, in seconds of the trial, it looks at what the laboratory takes."""
    if not (period_s := facts.footprint_s):
        return []
    return list(range(period_s, int(facts.sending_s) + 1, period_s))


class EventLog:
    """Events with their stamps."""

    def __init__(self) -> None:
        self._events: list[tuple[int, str, str, dict[str, int]]] = []  # ns, whose, what, more
        self._halted = False

    def _note(self, who: str, event: str, **more: int) -> None:
        self._events.append((time.time_ns(), who, event, more))

    def halt(self, server: Server) -> None:
        """A restart begins."""
        self._note(server.name, "stopping")
        self._halted = True
        server.halt()

    def resume(self, server: Server) -> None:
        """A restart is over."""
        server.resume()
        self._halted = False
        self._note(server.name, "started")

    def outages(self, spans: Iterable[tuple[int, int]]) -> None:
        """The link's, as far as they have come: begin and end of each, ns."""
        for span in spans:
            for stamp, event in zip(span, ("outage", "outage_over"), strict=True):
                if stamp <= time.time_ns():
                    self._events.append((stamp, "link", event, {}))

    def footprints(self, server: Server) -> None:
        """What all of the laboratory takes, and what the device talks to, unless that is down."""
        roots = {_LAB: os.getpid()}
        if not self._halted:
            roots[server.name] = server.children[server.front].pid
        for name, root in roots.items():
            self._note(name, "footprint", **footprint(root, own_kib))

    def lines(self, nonce: str) -> Iterator[str]:
        """Its lines of server.jsonl."""
        for stamp, who, event, more in self._events:
            fields = {"nonce": nonce, "server": who, "ev": event, **more}
            text = json.dumps(fields, separators=(",", ":"))[1:]
            yield f'{{"t":{stamp_text(stamp)},{text}\n'
