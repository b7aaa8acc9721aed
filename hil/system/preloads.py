"""Small C libraries that are preloaded into third-party programs, compiled when they have changed.

The source is a file of this project that needs only the headers of the C library.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from hil.base.errors import InputError, ToolMissing
from hil.base.paths import ROOT

# Their folder inside the machine.
PACKED = "opt/thinwire/plugins"
_BUILT = ROOT / "build" / "libraries"


def compile_to(source: Path, target: Path) -> None:
    """Compile a C file with the C compiler of this environment.

    Raises:
        ToolMissing: there is no compiler.
        InputError: it does not compile; the compiler has printed why.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        raise ToolMissing("cc", "the laboratory", "run 'make' or enter 'nix develop'")
    words = [compiler, "-O2", "-shared", "-fPIC", "-o", str(target), str(source), "-ldl"]
    with tempfile.TemporaryDirectory() as own:  # GCC 14 leaves files where a comma is in the name
        done = subprocess.run(words, check=False, env={**os.environ, "TMPDIR": own})
    if done.returncode != 0:
        remedy = "see its message above; 'make' installs a compiler and the C library's headers"
        raise InputError(source, "", f"{compiler} does not compile it", remedy)


def built(source: Path) -> Path:
    """Return the library of a C file, compiled if its text is new. Raises as `compile_to`."""
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    target = _BUILT / digest / f"{source.stem}.so"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_BUILT) as aside:
            fresh = Path(aside, target.name)
            compile_to(source, fresh)
            fresh.replace(target)
    return target


def library(source: Path) -> Path:
    """Return the library of a C file: the copy in the image inside the machine, else `built`."""
    packed = Path("/", PACKED, f"{source.stem}.so")
    return packed if packed.exists() else built(source)
