"""Runtimes of foreign programs: which files of this host Python, Node.js and a JVM need."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from hil.base.errors import InputError
from hil.machine.rootfs import RootFs

# Folders below the user's folder with programs that come before those of PATH.
OWN_PROGRAMS = (".venv/bin", "node_modules/.bin")
_PYTHON_PATHS = """
import json, sys, sysconfig
paths = sysconfig.get_paths()
program = getattr(sys, "_base_executable", sys.executable)
print(json.dumps([program, sorted({paths["stdlib"], paths["platstdlib"]})]))
"""
_PYTHON_UNUSED = {
    "__pycache__", "dist-packages", "ensurepip", "idlelib", "lib2to3", "site-packages", "test",
    "tests", "tkinter", "turtledemo",
}  # fmt: skip
_NODE_PATHS = """
const shared = process.config.variables.node_builtin_shareable_builtins || [];
console.log(JSON.stringify([process.execPath, shared]));
"""
_JAVA_UNUSED = {"demo", "docs", "include", "jmods", "legal", "man", "sample", "src.zip"}
_ANSWER_S = 60


@dataclass(frozen=True)
class Runtime:
    """A runtime: its program, its other files, its variables."""

    program: Path
    files: list[Path]
    environment: dict[str, str] = field(default_factory=dict)

    def complete(self, root: RootFs) -> None:
        """Add its files with the libraries that they need."""
        for path in self.files:
            root.add(path)
        root.add_libraries_of([path for path in self.files if ".so" in path.name])


def _answer(command: list[str]) -> list[object]:
    """Return the JSON list that a runtime prints about itself."""
    remedy = "check that it runs: its messages are above"
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, timeout=_ANSWER_S
        )
        return list(json.loads(done.stdout))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        problem = f"does not say where its files are ({type(error).__name__})"
        raise InputError(command[0], "", problem, remedy) from error


def _below(folder: Path, unused: set[str]) -> list[Path]:
    """Return the files of a folder, through symbolic links, without those that are not used."""
    found: list[Path] = []
    for path in sorted(folder.iterdir()):
        if path.name in unused:
            continue
        if path.is_dir():
            found += _below(path, unused)
        elif path.is_file():
            found.append(path)
    return found


def _python(program: Path) -> Runtime:
    base, folders = _answer([str(program), "-I", "-c", _PYTHON_PATHS])
    files: list[Path] = []
    for folder in folders if isinstance(folders, list) else []:
        found = _below(Path(folder), _PYTHON_UNUSED)
        files += [path for path in found if not path.parent.name.startswith("config-")]
    # What it prints is in the bundle also if it is killed; a program that spins prints where.
    variables = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1", "PYTHONFAULTHANDLER": "1"}
    return Runtime(Path(str(base)).resolve(), files, variables)


def _node(program: Path) -> Runtime:
    real, shared = _answer([str(program), "-e", _NODE_PATHS])
    named = [Path(str(name)) for name in shared] if isinstance(shared, list) else []
    return Runtime(Path(str(real)), [path for path in named if path.is_file()])


def _java(program: Path) -> Runtime:
    real = program.resolve()
    home = real.parent.parent
    if not (home / "lib" / "modules").exists():
        raise InputError(
            program, "", "belongs to no Java runtime", "name bin/java of a JRE, a JDK or of jlink"
        )
    return Runtime(real, _below(home, _JAVA_UNUSED), {"JAVA_HOME": str(home)})


_KINDS = {
    r"python3?(\.\d+)?": _python,
    r"node|nodejs": _node,
    r"java": _java,
}


def of(program: Path) -> Runtime | None:
    """Return the runtime that a program is, by its name; None if it is none of these.

    Raises:
        InputError: it does not run here, or is incomplete.
    """
    for pattern, make in _KINDS.items():
        if re.fullmatch(pattern, program.name):
            return make(program)
    return None
