"""Has the kernel of the machine `uml` the same bytes in whatever folder it is built?

`make test-kernel` runs it: five minutes of processor time. The clone's own kernel is the one, the
other is built by the same script in a folder with a longer name.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from hil.base.paths import ROOT
from hil.machine.uml import kernel


def test_a_kernel_built_elsewhere_has_the_same_bytes(tmp_path: Path) -> None:
    assert not (why := kernel.why_not()), why
    place = tmp_path / "a-folder-whose-path-is-longer-than-that-of-any-clone" / "of-this-project"
    shutil.copytree(ROOT / "setup" / "uml", place / "setup" / "uml")
    shutil.copy(ROOT / "setup" / "progress", place / "setup")
    rust = tmp_path / "bin" / "rustc"  # whose version the kernel must not contain
    rust.parent.mkdir()
    rust.write_text("#!/bin/sh\necho 'rustc 1.95.0 (0123456789 2026-01-01)'\n", encoding="utf-8")
    rust.chmod(0o755)
    done = subprocess.run(
        [place / "setup" / "uml" / "build"],
        env={**os.environ, "PATH": f"{rust.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    built = place / "build" / "uml"
    assert (built / "linux").exists(), done.stderr
    assert (built / "inputs").read_text() == (kernel.FOLDER / "inputs").read_text()
    assert (built / "linux").read_bytes() == (kernel.FOLDER / "linux").read_bytes()
    for folder in (built, kernel.FOLDER):
        assert str(folder.parent.parent).encode() not in (folder / "linux").read_bytes()
    facts = [json.loads((folder / "info.json").read_text()) for folder in (built, kernel.FOLDER)]
    assert facts[0] == facts[1]
