"""Retry what failed because of the host (memory, signals, a full disk), up to three attempts."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from hil.base.errors import LabError, ToolMissing, TransientHostError
from hil.system import tools

_TRIES = 3
_TIE = "setpriv"
# The parent may have ended before the kernel knew what to do at its end. A shell sets PWD.
_IF_PARENT_LIVES = '[ "$PPID" = "$0" ] || exit; unset PWD; exec "$@"'
Returned = TypeVar("Returned")


def retry_transient(action: Callable[[], Returned]) -> Returned:
    """Return the result of `action`, which is repeated after a TransientHostError.

    Raises:
        LabError: each attempt failed so; with the last error.
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
    """Return the command of a child of this process that the kernel kills when the thread that
    started it ends. If this process has already ended, the command does not start.

    Raises:
        ToolMissing: setpriv is missing.
    """
    path = tools.find(_TIE)
    if path is None:
        raise ToolMissing(
            _TIE,
            "processes that end with the laboratory",
            "run 'make' or 'apt-get install util-linux', or enter 'nix develop'",
        )
    check = ["/bin/sh", "-c", _IF_PARENT_LIVES, str(os.getpid())]
    return [path, "--pdeathsig", "KILL", *check, *command]


def plain_environment(**more: str) -> dict[str, str]:
    """Return a minimal environment for a machine's process, so that no variable affects results."""
    kept = ("PATH", "LD_LIBRARY_PATH")
    return {key: os.environ[key] for key in kept if key in os.environ} | {"LC_ALL": "C"} | more
