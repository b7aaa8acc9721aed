"""What a foreign program prints: kept as text, and its JSON events copied to the board's log."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

BOARD_TEXT, SERVER_TEXT = "board.out.txt", "server.out.txt"
# The rig itself writes these.
_RESERVED = {"boot", "up", "end", "crash", "config_error"}
# Fields of an event (workflow/schemas/log.schema.json) that a foreign program may state, by type.
_NUMBERS = {
    "acked", "backlog", "bytes", "call_us", "connects", "dropped", "failed", "heap_bytes",
    "heap_free_min", "heap_used", "mid", "n", "read_us", "received", "retransmitted", "rtt_us",
    "sent", "served", "stack_free_min", "unsent", "us",
}  # fmt: skip
_TEXTS = {"client", "method", "path", "phase", "queue", "reason", "session", "suite", "topic"}
_HEAD = {"t", "nonce", "ev", "seq"}
# What the runtime of a board writes beside the firmware (docs/try-lx106.md).
_BOARDS = _RESERVED | {"stat"}
_LONGEST = 4096


def _number(value: object) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole or (isinstance(value, float) and math.isfinite(value))


def event(line: bytes, nonce: str, *, board: bool = False) -> dict[str, Any] | None:
    """Return the event in a printed line with the trial's nonce; None if it is other text.

    An event is a JSON object with a time `t` in microseconds and a name `ev`. Fields that the log
    does not know, or of another type, are left out.

    Args:
        board: a board of this project prints, too. Its lines are those with a nonce and a name that
            is reserved for it; they keep fields that the log does not know.
    """
    if not line.startswith(b"{") or b'"ev"' not in line or len(line) > _LONGEST:
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    name, stamp = found.get("ev"), found.get("t")
    if not isinstance(name, str) or not _number(stamp) or stamp < 0:
        return None
    own = board and name in _BOARDS and "nonce" in found
    if found.get("nonce", nonce) != nonce or (name in _RESERVED and not own):
        return None
    fields = {
        key: value
        for key, value in found.items()
        if _known(key, value) or (own and key not in _NUMBERS | _TEXTS | _HEAD)
    }
    return {"t": stamp, "nonce": nonce, "ev": name, **fields}


def _known(key: str, value: object) -> bool:
    """Return whether the log has a field of this name and type."""
    if key == "seq":
        return isinstance(value, int) and not isinstance(value, bool)
    return (key in _NUMBERS and _number(value)) or (key in _TEXTS and isinstance(value, str))


class Reader:
    """Reads the file `output` that a program prints into, while it grows; adds its events to
    `log`. `last` is the last one, `crash` the first one of that name. With `board` the lines of a
    board count, too (see `event`)."""

    def __init__(self, output: Path, log: Path, nonce: str, *, board: bool = False) -> None:
        self._output, self._log, self._nonce, self._board = output, log, nonce, board
        self._seen = 0
        self.last: dict[str, Any] | None = None
        self.crash: dict[str, Any] | None = None

    def note(self, name: str, **more: object) -> None:
        """Add an event of the rig at the program's start."""
        self._write({"t": 0, "nonce": self._nonce, "ev": name, **more})

    def _write(self, fields: dict[str, Any]) -> None:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(fields, separators=(",", ":")) + "\n")

    def take(self) -> None:
        """Read the complete lines that are new."""
        if self._output.stat().st_size <= self._seen:
            return
        with self._output.open("rb") as file:
            file.seek(self._seen)
            news = file.read()
        whole = news[: news.rfind(b"\n") + 1]
        self._seen += len(whole)
        for line in whole.splitlines():
            if found := event(line, self._nonce, board=self._board):
                self.last = found
                if found["ev"] == "crash":
                    self.crash = self.crash or found
                self._write(found)

    def keep(self, target: Path) -> None:
        """Copy all that was printed to `target`, with a replacement character (U+FFFD) where it is
        no UTF-8."""
        text = self._output.read_bytes().decode("utf-8", errors="replace")
        target.write_bytes(text.encode("utf-8"))
