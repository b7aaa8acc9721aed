"""The rooms of this package and their imports, from the code.

`python -m hil.selfcheck.architecture` prints the diagram of docs/architecture.md.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
# From bottom to top: a room imports only from rooms before it. All other modules belong to the top:
# commands, command line and self-checks.
ROOMS = (
    "base",
    "system",
    "design",
    "bundle",
    "crate",
    "peers",
    "rig",
    "machine",
    "testbeds",
)
ROOF = "commands"


def room_of(module: str) -> str:
    """Return the room of a module such as `hil.rig.links.air`."""
    name = [*module.split("."), ROOF][1]
    return name if name in ROOMS else ROOF


def _imports(file: Path) -> Iterator[str]:
    """Yield the modules of this package that a file imports."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "hil":
            for name in node.names:
                yield f"{node.module}.{name.name}"


@cache
def arrows() -> dict[tuple[str, str], list[str]]:
    """Return (room, imported room) -> the importing modules, sorted, without tests."""
    found: dict[tuple[str, str], set[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        if "tests" in file.relative_to(PACKAGE).parts:
            continue
        module = ".".join(("hil", *file.relative_to(PACKAGE).with_suffix("").parts))
        for imported in _imports(file):
            pair = room_of(module), room_of(imported)
            if pair[0] != pair[1]:
                found.setdefault(pair, set()).add(module)
    return {pair: sorted(modules) for pair, modules in sorted(found.items())}


def picture() -> str:
    """Return the rooms as a Mermaid diagram, without arrows to base, which every room uses."""
    ground = ("base",)
    order = [ROOF, *reversed([room for room in ROOMS if room not in ground])]
    lines = ["flowchart TD"]
    for room in order:
        targets = [to for to in order if (room, to) in arrows()]
        lines += [f"  {room} --> {to}" for to in targets]
    return "\n".join(lines)


if __name__ == "__main__":
    print(picture())
