"""The examples of clients, `examples/LANGUAGE`, as templates for `thinwire new try`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.design.tryfile import FILE

EXAMPLES = ROOT / "examples"
IGNORE = ".gitignore"


def languages() -> list[str]:
    """Return the languages for which there is an example, sorted."""
    return sorted(path.parent.name for path in EXAMPLES.glob(f"*/{FILE}"))


def _sources(folder: Path) -> Iterator[Path]:
    """Yield the files of an example, relative to it, without what its build and its trials make:
    these are the lines of its .gitignore, and what pip compiles where it installs a wheel."""
    lines = (folder / IGNORE).read_text(encoding="utf-8").splitlines()
    made = {"__pycache__", *(line.strip("/") for line in lines)}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not made & set(inside.parts):
            yield inside


def create(target: Path, language: str) -> list[Path]:
    """Write a copy of the example into a folder; return its files. A folder that is not empty gets
    thinwire.yaml alone.

    Raises:
        InputError: the folder has a thinwire.yaml, or cannot be written.
    """
    if (target / FILE).exists():
        raise InputError(target / FILE, "", "exists", "edit it, or name another folder")
    source = EXAMPLES / language
    try:
        used = target.is_dir() and any(target.iterdir())
        made = [target / path for path in ([Path(FILE)] if used else _sources(source))]
        for path in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / path.relative_to(target), path)
    except OSError as error:
        raise InputError(
            target, "", f"cannot be written ({error.strerror or error})", "name another folder"
        ) from error
    return made
