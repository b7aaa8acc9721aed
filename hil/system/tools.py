"""Where this machine keeps its programs: the one rule for all that look for one."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

# Debian keeps servers and network tools here, and leaves them out of an ordinary user's PATH.
_SYSTEM = "/usr/local/sbin:/usr/sbin:/sbin"


def find(name: str) -> str | None:
    """The program `name` on PATH, or in the folders that PATH of ordinary users lacks."""
    return shutil.which(name) or shutil.which(name, path=_SYSTEM)


def widen_path() -> None:
    """Let this process and its children find by their names what lies beside this Python, before
    all others, and what `find` finds."""
    here = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([here, os.environ.get("PATH", os.defpath), _SYSTEM])
