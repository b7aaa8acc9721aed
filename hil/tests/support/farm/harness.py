"""What tests of the farm share: a trial as a process, its result, who holds a board."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hil.testbeds.hardware import places
from hil.tests.support.farm.farm import Farm

SHORT, LONG = 5, 60  # messages, ten a second
# Fault of the board -> outcome of the bundle (none: no bundle) and the fault's name.
INJECTED_FAULTS = {
    "": ("ok", ""),
    "unplugged": ("none", "unplugged"),
    "unplugged once": ("ok", ""),
    "dead": ("none", "silent"),
    "noise": ("none", "garbled line"),
    "hung": ("ok", ""),
    "looping": ("ok", ""),
    "hung, plug mute": ("none", "plug gone"),
    "hung, plug broken": ("none", "plug gone"),
    "boot loop": ("none", "boot loop"),
    "crashing image": ("ok", ""),
    "another board": ("none", "another board"),
    "mute stranger": ("none", "another board"),
    "worn flash": ("none", "flash failed"),
    "wrong firmware": ("none", "wrong firmware"),
    "deaf": ("failed", "silent"),
    "refused": ("failed", "configuration refused"),
    "sleepy": ("failed", "configuration refused"),
    "no Wi-Fi": ("failed", "no Wi-Fi"),
    "wrong network": ("failed", "wrong network"),
    "pulled out": ("failed", "unplugged"),
    "brown-out": ("failed", "brown-out"),
    "crash": ("failed", "crash"),
    "capture starved": ("invalid", "capture dropped"),
    "bytes lost": ("failed", "garbled line"),
    "garbage": ("failed", "garbled line"),
}


def start(
    boards: Farm, name: str, messages: int = SHORT, background: str = "", **more: str
) -> subprocess.Popen[str]:
    """A trial; `background` is a JSON object of its parameters."""
    out = boards.folder / "bundles" / name
    words = [
        name,
        str(boards.image),
        str(out),
        str(messages),
        *([background] if background else []),
    ]
    return subprocess.Popen(
        [*boards.as_owner, sys.executable, "-m", "hil.tests.support.farm.trial", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **more},
    )  # fmt: skip


def result_of(process: subprocess.Popen[str]) -> dict[str, str]:
    output, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    return dict(json.loads(output.splitlines()[-1]))


def verdict_of(process: subprocess.Popen[str]) -> tuple[str, str, str]:
    """Outcome, fault and its owner."""
    found = result_of(process)
    return found["outcome"], found["fault"], found["owner"]


def pids(*options: str) -> list[int]:
    """The processes that pgrep(1) finds."""
    done = subprocess.run(["pgrep", *options], capture_output=True, text=True, check=False)
    return [int(word) for word in done.stdout.split()]


def holder(name: str) -> str:
    return next(place.holder for place in places.every() if place.name == name)


def bundle(boards: Farm, name: str) -> Path:
    (folder,) = (boards.folder / "bundles" / name / "farm").iterdir()
    return folder


def lab_of(boards: Farm, name: str) -> dict[str, Any]:
    """The lab.json of a board's bundle."""
    return dict(json.loads((bundle(boards, name) / "lab.json").read_text()))


def in_trial(boards: Farm, name: str) -> None:
    """Wait until a board runs a trial."""
    log = boards.folder / name / "board.jsonl"
    log.unlink(missing_ok=True)
    boards.wait(lambda: log.exists() and b'"sent"' in log.read_bytes(), "no trial begins")
