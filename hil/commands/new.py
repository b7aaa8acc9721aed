"""`thinwire new study|protocol|server|try NAME`: create working code (docs/add-a-*.md, try.md)."""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.commands import complete, example, scaffold
from hil.design.protocols import protocols
from hil.machine.shipped import IN_WHEEL

MODES = ["mqtt-qos1", "coap-con"]
NEXT = {
    "study": (
        "edit its question, factors and levels, then",
        "thinwire studies {name}",
        "thinwire trial run {name} --rep 1 --out /tmp/{name}",
        "snakemake --cores all --config 'studies=[{name}]' -- results/reports/{name}",
        "thinwire show {name}",
    ),
    "study of a wheel": (
        "edit its question, factors and levels, then",
        "thinwire studies {name}.yaml",
        "thinwire trial run {name}.yaml",
        "thinwire analyze data/raw/{name}",
    ),
    "protocol": (
        "it runs as it is, with one datagram per message; write the engine, then",
        "make device && ctest --test-dir build/firmware/host -R _{name} --output-on-failure",
        "snakemake --cores all -- build/firmware/lx106/thinwire.elf",
        "thinwire new study {name}-first --mode {name}",
        "still to write: rows of docs/conformance.md with mutants, a corpus (make_corpus.py),",
        "a case in firmware/tests/interop, fields in workflow/wireshark/thinwire.lua",
    ),
    "server": (
        "it logs messages; write its answers, which hil/tests/peers/test_servers.py expects, then",
        "pytest hil/tests/peers/test_servers.py -k {name}",
        "select it in a block of a study: 'peer: [{name}]'",
    ),
}
PAGES = {"study": "docs/add-a-study.md", "protocol": "docs/add-a-protocol.md"}

EXAMPLES = """\
Examples:
  thinwire new study mine --mode mqtt-qos1 coap-con
  thinwire new try client --language python
  thinwire new try .                            write a thinwire.yaml for the client that is here
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    study = kinds.add_parser("study", help="create a study of two modes")
    study.add_argument(
        "--question", default="What differs between them?", help="the question of the study"
    )
    study.add_argument(
        "--mode", nargs="+", default=MODES, metavar="MODE", help="the modes to compare"
    ).completer = complete.modes  # type: ignore[attr-defined]
    kinds.add_parser(
        "protocol", help="create an engine for datagrams with tests, server and table row"
    )
    server = kinds.add_parser(
        "server", help="create a second peer of a protocol, which answers nothing"
    )
    server.add_argument(
        "--of", required=True, metavar="PROTOCOL", help="the protocol of the server"
    ).completer = lambda **_: list(protocols())  # type: ignore[attr-defined]
    tried = kinds.add_parser("try", help="create a folder with a client that 'thinwire try' tries")
    tried.add_argument(
        "--language",
        default="python",
        choices=example.languages(),
        help="the language of the client (default: python)",
    )
    tried.add_argument(
        "name",
        metavar="FOLDER",
        help="the folder; one that holds your client gets thinwire.yaml alone",
    )
    for kind in kinds.choices.values():
        if kind is not tried:
            kind.add_argument("name", metavar="NAME", help="its name")
        kind.add_argument("--json", action="store_true", help="print JSON")


def _print(as_json: bool, **lines: list[str]) -> None:
    """Print what was made and changed, what comes next, and what to read."""
    if as_json:
        print(json.dumps(lines, ensure_ascii=False, indent=1))
        return
    for name, texts in lines.items():
        for text in texts:
            print(f"{name:9} {text}")


def _new_try(arguments: argparse.Namespace) -> int:
    made = [str(path) for path in example.create(Path(arguments.name), arguments.language)]
    alone = "name your client in its device, build and files, and what must hold, then"
    following = [
        alone if len(made) == 1 else "edit the client, and what must hold in thinwire.yaml, then",
        shlex.join(["thinwire", "try", arguments.name]),
    ]
    page = ROOT / "docs/try.md" if IN_WHEEL else "docs/try.md"
    _print(arguments.json, made=made, next=following, read=[str(page)])
    return 0


def _study_here(arguments: argparse.Namespace, change: scaffold.Change) -> int:
    """Write the file of a study into the current folder, since a wheel has no folder for it."""
    (text,) = change.made.values()
    name = f"{arguments.name}.yaml"
    scaffold.Change(made={name: text}).write(Path.cwd())
    following = [line.format(name=arguments.name) for line in NEXT["study of a wheel"]]
    _print(arguments.json, made=[name], next=following)
    return 0


def run(arguments: argparse.Namespace) -> int:
    if arguments.kind == "try":
        return _new_try(arguments)
    if IN_WHEEL and arguments.kind != "study":
        problem = "changes files of the project, which a wheel does not have"
        raise InputError("new", arguments.kind, problem, "run it in a clone of the project")
    options = {key: getattr(arguments, key) for key in ("question", "of") if key in arguments}
    if arguments.kind == "study":
        options["modes"] = arguments.mode
    change = scaffold.KINDS[arguments.kind](arguments.name, **options)
    if IN_WHEEL:
        return _study_here(arguments, change)
    change.write()
    _print(
        arguments.json,
        made=[*change.made],
        changed=[*change.changed],
        next=[line.format(name=arguments.name) for line in NEXT[arguments.kind]],
        read=[PAGES.get(arguments.kind, "docs/peers.md")],
    )
    return 0
