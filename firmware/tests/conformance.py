"""docs/conformance.md and the mutants that hold it, as data.

A section of the table names its test programs, a row the requirement, the rule, and the tests that
hold the engine to it. `mutants/*.toml` has, for each requirement, small changes to the engine that
break it.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs/conformance.md"
CORE = ROOT / "firmware/core"
UNIT = ROOT / "firmware/tests/unit"
MUTANTS = ROOT / "firmware/tests/mutants"


def source(name: str, core: Path = CORE) -> Path:
    """The engines' file of this name, which no two share, below `core`."""
    (path,) = core.rglob(name)
    return path


@dataclass(frozen=True)
class Row:
    """A row of the table: `programs` are those of its section."""

    section: str
    requirement: str
    programs: tuple[str, ...]
    tests: tuple[str, ...]


@dataclass(frozen=True)
class Mutant:
    """A change of `was`, which stands once in `file`, into `becomes`."""

    section: str
    requirement: str
    file: str
    was: str
    becomes: str

    def name(self) -> str:
        """The change in one line."""
        short = (" ".join(text.split()) or "nothing" for text in (self.was, self.becomes))
        return f"{self.file}: " + " -> ".join(short)


def rows() -> list[Row]:
    """Every row of the table."""
    found = []
    section, programs = "", ()
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        names = tuple(re.findall(r"`(test_\w+)`", line))
        if line.startswith("## "):
            section, programs = line[3:].partition(" (")[0], names
        elif line.startswith("| ") and not line.startswith("| Requirement"):
            found.append(Row(section, line.split("|")[1].strip(), programs, names))
    return found


def mutants() -> list[Mutant]:
    """Every mutant, in the order of the files' names."""
    found = []
    for path in sorted(MUTANTS.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        section = table.pop("section")
        for requirement, changes in table.items():
            found += [
                Mutant(section, requirement, change["in"], change["was"], change["is"])
                for change in changes
            ]
    return found
