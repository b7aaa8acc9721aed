"""What a search of `thinwire hunt` keeps in its folder, so that it goes on after a stop.

hunt.json    how far the search is
corpus/      schedules that covered something new or broke something, a file for each
finds/       a folder for each find, see hunt_finds.py
"""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hil.base.documents import read_json
from hil.base.errors import InputError
from hil.design.schedules import Schedule, digest

FILE, CORPUS, FINDS = "hunt.json", "corpus", "finds"
_FORM = 1
_REMEDY = "remove it, or name another folder with --out"


@dataclass
class State:
    """How far a search is.

    Attributes:
        conditions: digest of what the search depends on; another one begins a new search.
        next: number of the schedule that is generated next.
        pending: schedules that were generated and not yet judged, in order.
        pool: schedules that covered something new.
        tried: how many trials of schedules were judged.
        unsettled: of these, where a fault was not over in time.
        features: what was covered of packets and logs.
        executed: addresses of the device's instructions that were executed, ascending.
        known: digests of the schedules that were tried.
        finds: descriptions of the finds.
        unsteady: violations that did not repeat.
        lab_failures: of the laboratory: schedule and reason.
        ran_s: wall time.
    """

    conditions: str
    next: int = 0
    pending: list[Schedule] = field(default_factory=list)
    pool: list[Schedule] = field(default_factory=list)
    tried: int = 0
    unsettled: int = 0
    features: list[str] = field(default_factory=list)
    executed: list[int] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    finds: list[dict[str, Any]] = field(default_factory=list)
    unsteady: list[dict[str, Any]] = field(default_factory=list)
    lab_failures: list[dict[str, Any]] = field(default_factory=list)
    ran_s: float = 0.0


def write(data: str, target: Path) -> None:
    """Write a file completely or not at all.

    Raises:
        InputError: it cannot be written.
    """
    fresh = target.with_name(f".{target.name}.new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("w", encoding="utf-8") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(target)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise InputError(target, "", problem, "free some disk, or give another --out") from error


def save(state: State, out: Path) -> None:
    """Write the state of a search."""
    document = {"form": _FORM, **dataclasses.asdict(state)}
    write(json.dumps(document, indent=1, sort_keys=True) + "\n", out / FILE)


def load(out: Path, conditions: str) -> State:
    """Return the state of the search under these conditions: that of an earlier stop, or a new one
    that begins with the corpus.

    Raises:
        InputError: the folder's files are damaged.
    """
    if (out / FILE).is_file():
        document = read_json(out / FILE, _REMEDY)
        if document.pop("form", None) != _FORM:
            raise InputError(out / FILE, "form", "is of another version", _REMEDY)
        try:
            found = State(**document)
        except TypeError as error:
            raise InputError(
                out / FILE, "", f"is no state of a search ({error})", _REMEDY
            ) from None
        if found.conditions == conditions:
            return found
    return State(conditions, pending=_corpus(out))


def _corpus(out: Path) -> list[Schedule]:
    """Return the schedules of the corpus: those that broke something first."""
    cases = []
    for path in sorted((out / CORPUS).glob("*.json")):
        document = read_json(path, _REMEDY)
        if not isinstance(document, dict) or not isinstance(document.get("faults"), list):
            raise InputError(path, "faults", "is no list of faults", _REMEDY)
        cases.append((not document.get("broke"), document["faults"]))
    return [faults for _, faults in sorted(cases, key=lambda case: case[0])]


def keep(faults: Schedule, broke: list[str], out: Path) -> None:
    """Add a schedule to the corpus, with the metrics that it broke."""
    document = {"faults": faults, "broke": broke}
    write(
        json.dumps(document, indent=1, sort_keys=True) + "\n",
        out / CORPUS / f"{digest(faults)}.json",
    )
