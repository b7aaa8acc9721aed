"""Does a process that must end with its parent not start at all if that has ended before?"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PARENT = """\
import os, subprocess, sys
from hil.system import retry
command = retry.die_with_parent(["touch", sys.argv[1]])
child = subprocess.Popen(command)
if sys.argv[2] == "lives":
    child.wait()
os._exit(0)
"""


@pytest.mark.parametrize("parent", ["lives", "ends"])
def test_a_command_starts_only_while_its_parent_lives(tmp_path: Path, parent: str) -> None:
    """... even if the parent ends before setpriv has called prctl(2)."""
    real, slow, made = shutil.which("setpriv"), tmp_path / "setpriv", tmp_path / "made"
    slow.write_text(f'#!/bin/sh\nsleep 0.3\nexec {real} "$@"\n')
    slow.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    # The output ends when all processes have ended.
    subprocess.run(
        [sys.executable, "-c", PARENT, made, parent],
        env=os.environ | {"PATH": path},
        capture_output=True,
        check=True,
    )
    assert made.exists() == (parent == "lives")
