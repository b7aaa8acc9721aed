"""The Python that runs inside the machine: the modules a program imports, compiled, and no more.

It uses the user's own interpreter (Debian's, pyenv's, Nix's). The modules are those that a fresh
interpreter has loaded after importing the guest's code, completed to whole packages, because
packages import their own parts late. They are copied to fixed paths below /opt/thinwire, so that
the image does not depend on the location of a venv or a clone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import ToolMissing
from hil.base.paths import ROOT

HOME = "opt/thinwire/python"
SITE = "opt/thinwire/site"
_VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
STDLIB = f"{HOME}/lib/{_VERSION}"

# Imported late by name, not by an import statement that runs at start-up.
_LATE = ("encodings.idna", "encodings.latin_1", "encodings.ascii", "stringprep", "_strptime")
# Parts of packages that are never used inside.
_UNUSED = {"test", "tests", "__pycache__", "idle_test", "__main__.py"}

_LIST_MODULES = """
import importlib, json, sys
missing = []
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except Exception as error:
        missing.append([name, str(error)])
found = {n: getattr(m, "__file__", None) for n, m in sorted(sys.modules.items())}
json.dump({"missing": missing, "found": found}, sys.stdout)
"""

_COMPILE = """
import json, py_compile, sys
for source, target, name in json.load(sys.stdin):
    py_compile.compile(source, target, dfile=name, doraise=True, optimize=0,
                       invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
"""


@dataclass(frozen=True)
class Module:
    """A file of a module: its path on this host, and in the image (without a leading slash)."""

    source: Path
    target: str

    @property
    def compiled(self) -> bool:
        """True for Python source, which goes in as byte code."""
        return self.source.suffix == ".py"


def interpreter() -> Path:
    """The real interpreter behind a venv."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def _loaded(names: tuple[str, ...]) -> dict[str, str]:
    """Module name -> file, of all modules loaded after importing `names` in a fresh interpreter."""
    search = [str(ROOT), *(entry for entry in sys.path if entry)]
    environment = {"PYTHONPATH": os.pathsep.join(search), "PYTHONHASHSEED": "0"}
    run = subprocess.run(  # -S: no .pth files, as inside the machine; -P: not the working folder
        [sys.executable, "-SBP", "-c", _LIST_MODULES, *names],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    answer = json.loads(run.stdout)
    if answer["missing"]:
        name, problem = answer["missing"][0]
        raise ToolMissing(
            f"Python module {name}", f"the lab ({problem})", "run 'make' or 'setup/install' again"
        )
    return {name: file for name, file in answer["found"].items() if file}


def _roots() -> list[tuple[Path, str]]:
    """Folders that modules come from, the most special first, and where each goes."""
    paths = sysconfig.get_paths()
    standard = {paths["stdlib"], paths["platstdlib"]}
    roots = {Path(entry): SITE for entry in sys.path if entry and entry not in standard}
    roots |= {Path(entry) / "lib-dynload": f"{STDLIB}/lib-dynload" for entry in standard}
    roots |= {Path(paths[key]): SITE for key in ("purelib", "platlib")}
    roots |= {Path(entry): STDLIB for entry in standard}
    roots[ROOT] = SITE
    return sorted(roots.items(), key=lambda item: -len(item[0].parts))


def _package_files(top: Path) -> list[Path]:
    """All modules of a package, sorted, without its tests."""
    return sorted(
        path
        for path in top.rglob("*")
        if path.suffix in (".py", ".so") and not _UNUSED & set(path.relative_to(top).parts)
    )


def modules(names: tuple[str, ...]) -> list[Module]:
    """The files that importing `names` needs, by target; the project's own files one by one.

    Raises:
        ToolMissing: a module cannot be imported here.
    """
    roots = _roots()
    chosen: dict[str, Module] = {}
    for name, file in _loaded((*names, *_LATE)).items():
        root, target = next((r, t) for r, t in roots if Path(file).is_relative_to(r))
        parts = Path(file).relative_to(root).parts
        whole = len(parts) > 1 and name.split(".")[0] != "hil" and parts[0] != "__pycache__"
        for path in _package_files(root / parts[0]) if whole else [Path(file)]:
            inside = f"{target}/{path.relative_to(root)}"
            chosen[inside] = Module(path, inside)
    return [chosen[inside] for inside in sorted(chosen)]


def compile_all(sources: list[Module], folder: Path) -> dict[str, Path]:
    """Compile the Python sources among `sources` into `folder`; target (.pyc) -> file.

    One fresh interpreter with a fixed hash seed compiles all of them in order, because the byte
    code of a module depends on both. The code names its path inside the machine only.
    """
    jobs, result = [], {}
    for number, module in enumerate(module for module in sources if module.compiled):
        target = str(Path(module.target).with_suffix(".pyc"))
        result[target] = folder / f"{number:04}.pyc"
        jobs.append((str(module.source), str(result[target]), f"/{module.target}"))
    subprocess.run(
        [sys.executable, "-S", "-c", _COMPILE],
        input=json.dumps(jobs),
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "0", "LC_ALL": "C"},
    )
    return result
