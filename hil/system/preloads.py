"""Small C libraries that the laboratory loads into programs of others: compiled when new.

The source is a file of this project that needs no header but the C library's.
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

# Inside the machine, where its image puts them.
PACKED = "opt/thinwire/plugins"
_BUILT = ROOT / "build" / "libraries"


def compile_to(source: Path, target: Path) -> None:
    """Compile a C file with the C compiler of this environment.

    Raises:
        ToolMissing: there is no compiler.
        InputError: it does not compile; the compiler has said why.
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
    """The library of a C file, compiled if its text is new. Raises as `compile_to`."""
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    target = _BUILT / digest / f"{source.stem}.so"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_BUILT) as aside:
            made = Path(aside, target.name)
            compile_to(source, made)
            made.replace(target)
    return target


def library(source: Path) -> Path:
    """The library of a C file: the image's own inside the machine, else `built`."""
    packed = Path("/", PACKED, f"{source.stem}.so")
    return packed if packed.exists() else built(source)
