"""Does an installed wheel refuse in one line, and do its dependencies start every command?"""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.cli import COMMANDS

SOURCES = ("hil", "pyproject.toml", "README.md")
NO_NETWORK = ("--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")


def project_files() -> list[str]:
    """The files of SOURCES that git knows or does not ignore."""
    words = ["git", "ls-files", "-co", "--exclude-standard", "--", *SOURCES]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that `pip install .` filled, from a copy without what is built."""
    place = tmp_path_factory.mktemp("installed")
    source = place / "source"
    source.mkdir()
    for name in project_files():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "pip", "install", "--quiet", *NO_NETWORK]
    subprocess.run([*command, "--target", place / "site", source], check=True)
    return place / "site"


@pytest.mark.parametrize("command", [["ask", "--payload", "40", "--interval", "60"], ["doctor"]])
def test_a_wheel_refuses_in_one_line(installed: Path, tmp_path: Path, command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hil.cli", *command],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        f"thinwire: error: {installed}: has the command, but not the project's files; install "
        "the wheel of 'make wheel', or run 'make setup' in a clone of the project\n"
    )


def test_a_wheel_has_the_files_of_the_package_and_no_tests(installed: Path) -> None:
    files = (path for path in (installed / "hil").rglob("*") if path.is_file())
    here = {str(path.relative_to(installed)) for path in files if path.suffix != ".pyc"}
    package = {name for name in project_files() if name.startswith("hil/")}
    assert here == {name for name in package if not name.startswith("hil/tests/")}


def _imported(path: Path, seen: set[Path]) -> set[str]:
    """Top-level names that a module imports when it is imported, its own modules' included."""
    if path in seen:
        return set()
    seen.add(path)
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        found = []
        if isinstance(node, ast.Import):
            found = [word.name for word in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found = [node.module, *(f"{node.module}.{word.name}" for word in node.names)]
        for name in found:
            if not name.startswith("hil"):
                names.add(name.partition(".")[0])
                continue
            file = ROOT / (name.replace(".", "/") + ".py")
            package = ROOT / name.replace(".", "/") / "__init__.py"
            for one in (file, package):
                if one.is_file():
                    names |= _imported(one, seen)
    return names - set(sys.stdlib_module_names)


def test_the_declared_dependencies_start_every_command() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[<>=~\[]", one)[0] for one in project["dependencies"]}
    distributions = importlib.metadata.packages_distributions()
    seen: set[Path] = set()
    for module, _ in COMMANDS.values():
        for name in _imported(ROOT / (module.replace(".", "/") + ".py"), seen):
            known = {one.lower().replace("_", "-") for one in distributions.get(name, [name])}
            assert known & declared, (module, name)
    pinned = (ROOT / "setup" / "requirements.txt").read_text(encoding="utf-8").lower()
    for name in declared:
        assert re.search(rf"^{name}==", pinned, re.MULTILINE), name
