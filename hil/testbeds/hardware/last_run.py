"""The last trial of each board, in a JSON file. A trial without an end was interrupted."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any


def folder() -> Path:
    """Return the folder of these files (XDG Base Directory Specification)."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state, "thinwire", "boards")


def read(place: str) -> dict[str, Any]:
    """Return the last entry of a board; empty if there is none."""
    try:
        return dict(json.loads((folder() / f"{place}.json").read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _write(place: str, entry: dict[str, Any]) -> None:
    folder().mkdir(parents=True, exist_ok=True)
    fresh = folder() / f".{place}.json"
    fresh.write_text(json.dumps(entry), encoding="utf-8")
    fresh.replace(folder() / f"{place}.json")


def begin(place: str, trial: str) -> None:
    """Record that a board begins a trial."""
    _write(place, {**read(place), "trial": trial, "began": int(time.time()), "outcome": ""})


def end(place: str, outcome: str, fault: dict[str, str], image: str = "") -> None:
    """Record how it ended; without `image` the entry keeps its image."""
    entry = {**read(place), "outcome": outcome, "fault": fault, "ended": int(time.time())}
    _write(place, {**entry, "image": image or entry.get("image", "")})
