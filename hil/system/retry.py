"""What the host does to the laboratory is no result: it is tried again, twice, and then told."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from hil.base.errors import LabError, ToolMissing, TransientHostError
from hil.system import tools

_TRIES = 3
_TIE = "setpriv"
Made = TypeVar("Made")


def retry_transient(action: Callable[[], Made]) -> Made:
    """The result of `action`, which is begun anew after an accident.

    Raises:
        LabError: accidents only; the last of them.
    """
    for number in range(1, _TRIES):
        try:
            return action()
        except TransientHostError as error:
            print(f"thinwire: {error}; once more ({number + 1} of {_TRIES})", file=sys.stderr)
    try:
        return action()
    except TransientHostError as error:
        raise LabError(f"{error}; this was the last of {_TRIES} tries") from error


def die_with_parent(command: Sequence[str]) -> list[str]:
    """The command of a process that the kernel kills when the thread that started it is gone.

    Raises:
        ToolMissing: setpriv is not here.
    """
    path = tools.find(_TIE)
    if path is None:
        raise ToolMissing(
            _TIE,
            "processes that end with the laboratory",
            "run 'make' or 'apt-get install util-linux', or enter 'nix develop'",
        )
    return [path, "--pdeathsig", "KILL", *command]


def plain_environment(**more: str) -> dict[str, str]:
    """What a machine's process needs of this one's environment, and nothing that could sway it."""
    kept = ("PATH", "LD_LIBRARY_PATH")
    return {key: os.environ[key] for key in kept if key in os.environ} | {"LC_ALL": "C"} | more
