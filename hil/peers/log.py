"""The log of a server or load: one JSON object per line."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hil.design.addressing import is_further
from hil.design.payload import message

_START_BYTES = 32  # as workflow/wireshark/thinwire.lua reads them in captures


def stamp_text(stamp: int) -> str:
    """Format a wall-clock time in ns as logs have it: seconds, always of the same width."""
    seconds, fraction = divmod(stamp, 1_000_000_000)
    return f"{seconds}.{fraction:09}"


def _mark(payload: bytes, by_client: bool) -> dict[str, Any]:
    """Return what a payload is recognised by: the number of its message, and its sender where that
    is not the trial's first device. One from a foreign device may have no number; a server then
    logs its first bytes."""
    if found := message(payload):
        sender, seq = found
        return {"seq": seq, "from": sender} if is_further(sender) else {"seq": seq}
    return {"start": payload[:_START_BYTES].hex()} if payload and not by_client else {}


class Log:
    """Collects the events of a server, and writes them at the end: a trial must not wait for it.

    `times_ns`: time that the server spends on successive messages, used cyclically. `at_once`:
    write each event when it happens, of a server that will be killed.
    """

    def __init__(
        self, server: str, file: Path, times_ns: Iterable[int] = (), *, at_once: bool = False
    ) -> None:
        self.server, self._file, self._at_once = server, file, at_once
        self._times_ns = itertools.cycle(times_ns)
        self._seen: list[tuple[int, str, bytes, dict[str, Any]]] = []

    def received(self, payload: bytes, time_ns: int | None = None, **more: Any) -> None:
        """Log a payload that arrived at `time_ns`, with further fields.

        Without `time_ns`, first spend the server's time on it: the message counts as received by
        the application after that.
        """
        if time_ns is None and (wait_ns := next(self._times_ns, 0)):
            time.sleep(wait_ns / 1e9)
        stamp = time.time_ns() if time_ns is None else time_ns
        self._add(stamp, "received", payload, more)

    def note(self, event: str, **more: Any) -> None:
        """Log another event."""
        self._add(time.time_ns(), event, b"", more)

    def _add(self, stamp: int, event: str, payload: bytes, more: dict[str, Any]) -> None:
        self._seen.append((stamp, event, payload, more))
        if self._at_once:
            self.write()

    def write(self) -> None:
        """Append all lines that are not written yet to the file in the order of time. A restarted
        server appends to the file of its predecessor."""
        with self._file.open("a", encoding="utf-8") as file:
            for stamp, event, payload, more in sorted(self._seen, key=lambda seen: seen[0]):
                fields: dict[str, Any] = {"server": self.server, "ev": event}
                if event == "received":
                    fields |= _mark(payload, by_client="client" in more)
                    fields["bytes"] = len(payload)
                text = json.dumps(fields | more, separators=(",", ":"))[1:]
                file.write(f'{{"t":{stamp_text(stamp)},{text}\n')
        self._seen.clear()
