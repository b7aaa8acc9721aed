"""Create a study, protocol or server from workflow/templates, with its rows in the tables that
list all of them (docs/architecture.md).

Templates are working code: a study of two modes, the protocol Knock, the server Silent.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import nearest
from hil.design.protocols import choose_modes, protocols, servers
from hil.design.protocols import modes as known_modes
from hil.peers import SERVERS

TEMPLATES = ROOT / "workflow" / "templates"
REGISTRY = "firmware/core/app/registry.h"
PEERS = "hil/peers/__init__.py"
TABLE = "workflow/protocols.yaml"
_LONGEST = 32  # characters of a name
_BACKSLASH_COLUMN = 99  # where clang-format puts the backslash of a macro's continued line
_FIRST_PORT = 7002
# Okabe and Ito's palette, then ColorBrewer's Dark2.
_COLOURS = ("#F0E442", "#A6761D", "#66A61E", "#7570B3", "#E7298A")
# Names of C headers, for which a reader would mistake the engine's, and reserved words.
_C_WORDS = re.compile(
    "assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|std.*|"
    "string|tgmath|threads|time|uchar|wchar|wctype|auto|break|case|char|const|continue|default|do|"
    "double|else|enum|extern|for|goto|if|inline|int|long|main|register|restrict|return|short|"
    "signed|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while|bool|true|false"
)


@dataclass
class Change:
    """Texts of new and of changed files, by their paths within the project."""

    made: dict[str, str] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)

    def write(self, root: Path = ROOT) -> None:
        """Write all files.

        Raises:
            InputError: a new file exists; nothing was written.
        """
        for name in self.made:
            if (root / name).exists():
                raise InputError(name, "", "exists", "use another name, or remove it")
        for name, text in {**self.made, **self.changed}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")


def _checked(kind: str, name: str, pattern: str, letters: str) -> None:
    if not re.fullmatch(pattern, name) or len(name) > _LONGEST:
        remedy = f"use {letters}, beginning with a letter, at most {_LONGEST} characters"
        raise InputError(kind, name, f"is not a valid name of a {kind}", remedy)


def study_file(name: str) -> str:
    """Return the path of a new study's file within the project.

    Raises:
        InputError: the name is invalid or in use.
    """
    _checked("study", name, "[a-z][a-z0-9-]*", "lower-case letters, digits and -")
    path = f"workflow/studies/{name}.yaml"
    if (ROOT / path).exists():
        raise InputError("study", name, "exists", "use another name")
    return path


def _check_code_name(kind: str, name: str) -> None:
    """Check a name that becomes a file, a class and an entry of tables."""
    _checked(kind, name, "[a-z][a-z0-9]*", "lower-case letters and digits")
    if _C_WORDS.fullmatch(name) or keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise InputError(kind, name, "is a reserved word", "use another name")
    if name in {**protocols(), **servers()}:
        raise InputError(kind, name, "exists", "use another name")


def _renamed(text: str, was: str, name: str) -> str:
    """Return a template's text with its name replaced, in lower, title and upper case."""
    for spell in (str.lower, str.capitalize, str.upper):
        text = text.replace(spell(was), spell(name))
    return text


def _with_line(text: str, pattern: str, line: str) -> str:
    """Return `text` with a line inserted among the matching lines, which are sorted."""
    lines = text.splitlines(keepends=True)
    matching = [at for at, each in enumerate(lines) if re.match(pattern, each)]
    later = [at for at in matching if lines[at] > line]
    lines.insert(later[0] if later else matching[-1] + 1, line)
    return "".join(lines)


def _with_engine(text: str, name: str) -> str:
    """Return the registry with one more engine. All lines of the list but the last end in a
    backslash."""
    text = _with_line(
        text, r'#include "core/protocols/', f'#include "core/protocols/{name}/{name}.h"\n'
    )

    def extended(found: re.Match[str]) -> str:
        entries = [*re.findall(r"E\(\w+, \w+\)", found[0]), f"E({name}, {name})"]
        entries = [f"    {entry}" for entry in sorted(entries)]
        continued = [entry.ljust(_BACKSLASH_COLUMN) + "\\\n" for entry in entries[:-1]]
        return "".join([*continued, entries[-1] + "\n"])

    return re.sub(r"(^    E\(\w+, \w+\) *\\?\n)+", extended, text, count=1, flags=re.M)


def _with_server(text: str, module: str, name: str) -> str:
    """Return the list of servers with a new one; `module` is relative to hil.peers."""
    line = f'        "{name}": "{module}:{name.capitalize()}Server",\n'
    return _with_line(text, r'        "\w+": ', line)


def _source(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def study(name: str, question: str, modes: list[str]) -> Change:
    """Create a study that compares modes."""
    path = study_file(name)
    chosen = choose_modes(modes, "--mode", "")
    listed = ", ".join(chosen)
    words = {
        "NAME": name,
        "TITLE": json.dumps(name.replace("-", " ").capitalize()),
        "QUESTION": json.dumps(question, ensure_ascii=False),
        "MODES": f"[{listed}]",
    }
    template = (TEMPLATES / "study.yaml").read_text(encoding="utf-8")
    if not any(known_modes()[name][0].transport == "tcp" for name in chosen):
        template = template.replace("  nagle: false\n", "")  # it would apply to no trial
    text = re.sub("|".join(words), lambda found: words[found[0]], template)
    return Change(made={path: text})


def protocol(name: str) -> Change:
    """Create a datagram protocol: engine, tests, server and rows in the tables."""
    _check_code_name("protocol", name)
    headers = "".join(
        path.read_text(encoding="utf-8") for path in ROOT.glob("firmware/core/**/*.h")
    )
    if re.search(rf"\btw_{name}\b", headers) or (ROOT / "hil/peers" / f"{name}.py").exists():
        raise InputError("protocol", name, "is in use", "use another name")
    folder = TEMPLATES / "protocol"
    ports = {row.port for row in servers().values()}
    port = next(port for port in range(_FIRST_PORT, 65536) if port not in ports)
    table = _source(TABLE)
    colour = next((one for one in _COLOURS if one not in table), _COLOURS[-1])

    def own(text: str) -> str:
        text = text.replace(str(_FIRST_PORT), str(port)).replace(_COLOURS[0], colour)
        return _renamed(text, "knock", name)

    made = {
        own(str(path.relative_to(folder))): own(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*"))
        if path.suffix in {".c", ".h", ".py"}
    }
    row = own((TEMPLATES / "protocol.yaml").read_text(encoding="utf-8"))
    changed = {
        TABLE: table + row,
        REGISTRY: _with_engine(_source(REGISTRY), name),
        PEERS: _with_server(_source(PEERS), f"{name}.server", name),
    }
    return Change(made, changed)


def server(name: str, of: str) -> Change:
    """Create a second peer of a protocol, with its own flavour of the machine, that only logs."""
    _check_code_name("server", name)
    known = protocols()
    if of not in known:
        raise InputError("--of", of, "no such protocol", nearest(of, list(known)))
    room = SERVERS.module(of).split(".")[2]
    text = (TEMPLATES / "server" / f"{known[of].transport}.py").read_text(encoding="utf-8")
    row = f"    {name}: {{port: {known[of].servers['default'].port}, machine: {{name: {name}}}}}\n"
    head, below, rest = _source(TABLE).partition(f"\n{of}:\n")
    changed = {
        TABLE: head + below + rest.replace("  modes:\n", f"{row}  modes:\n", 1),
        PEERS: _with_server(_source(PEERS), f"{room}.{name}", name),
    }
    return Change({f"hil/peers/{room}/{name}.py": _renamed(text, "silent", name)}, changed)


KINDS: dict[str, Callable[..., Change]] = {"study": study, "protocol": protocol, "server": server}
