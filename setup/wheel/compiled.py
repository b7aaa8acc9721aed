"""What the programs of a wheel were compiled from, as the compilers wrote it down.

Ninja keeps the sources and headers of each object. A library that is linked statically, or that is
nothing but headers, leaves no other trace in a program.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.machine import closure

_BUILD = ROOT / "build"
_OBJECTS = (".o", ".obj")


def programs(contents: dict[str, list[str]]) -> list[Path]:
    """Return the compiled programs of a wheel with these contents, and those of its image."""
    firmware = [ROOT / name for name in contents["built"] if name.endswith(".elf")]
    portable = [_BUILD / "wheel" / name for name in contents["portable"]]
    image = [path for name in closure.BUILT if (path := _BUILD / name).exists()]
    return [*firmware, *portable, *image]


def _ninja(folder: Path, tool: str, *words: str) -> list[str]:
    done = subprocess.run(
        ["ninja", "-C", str(folder), "-t", tool, *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        problem = f"cannot be examined ({done.stderr.strip().splitlines()[-1]})"
        raise InputError(folder, "", problem, "run 'make wheel', which builds it first")
    return done.stdout.splitlines()


def _made_in(top: Path) -> Path:
    """Return the folder of the project in which CMake configured the build `top`. A build that was
    copied with its checkout names the files of the first one."""
    below = top.relative_to(ROOT).parts
    cache = (top / "CMakeCache.txt").read_text(encoding="utf-8")
    found = re.search(r"^CMAKE_CACHEFILE_DIR:INTERNAL=(.*)$", cache, re.MULTILINE)
    return Path(found[1]).parents[len(below) - 1] if found else ROOT


def sources(program: Path) -> set[Path]:
    """Return each source and header that a program was compiled from.

    Raises:
        InputError: it was not built by ninja, in a folder below build.
    """
    tops = [one for one in program.parents if (one / "build.ninja").is_file()]
    if not tops:
        raise InputError(program, "", "is in no build of ninja", "run 'make wheel'")
    top = tops[0]
    objects = [
        word
        for word in _ninja(top, "inputs", str(program.relative_to(top)))
        if word.endswith(_OBJECTS)
    ]
    first, now = (_made_in(top), ROOT) if top.is_relative_to(ROOT) else (top, top)
    found = set()
    for line in _ninja(top, "deps", *objects) if objects else ():
        if line.startswith("    "):
            path = top / line.strip()
            here = now / path.relative_to(first) if path.is_relative_to(first) else path
            found.add(here.resolve())
    if not found:
        raise InputError(program, "", "has no list of its sources", "remove it and build it again")
    return found


def of(names: Iterable[Path]) -> set[Path]:
    """Return the sources and headers of several programs."""
    return set().union(*map(sources, names))
