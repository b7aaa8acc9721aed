"""`thinwire new study|protocol|server NAME`: what docs/add-a-*.md begin with, ready to run."""

from __future__ import annotations

import argparse

from hil.commands import scaffold

MODES = ["mqtt-qos1", "coap-con"]
NEXT = {
    "study": (
        "edit its question, factors and levels, then",
        "thinwire studies {name}",
        "thinwire trial run {name} --rep 1 --out /tmp/{name}",
        "snakemake --cores all --config 'studies=[{name}]' -- results/reports/{name}",
    ),
    "protocol": (
        "it works as it is: a message is a datagram; write the engine's bytes and answers, then",
        "make device && ctest --test-dir build/firmware/host -R _{name} --output-on-failure",
        "snakemake --cores all -- build/firmware/lx106/thinwire.elf",
        "thinwire new study {name}-first --mode {name}",
        "not made: its lines in docs/conformance.md with mutants, a corpus (make_corpus.py),",
        "a case in firmware/tests/interop, its fields in workflow/wireshark/thinwire.lua",
    ),
    "server": (
        "it logs what comes; write its answers, which hil/tests/test_servers.py waits for, then",
        "pytest hil/tests/test_servers.py -k {name}",
        "a block of a study selects it by 'peer: [{name}]'",
    ),
}
PAGES = {"study": "docs/add-a-study.md", "protocol": "docs/add-a-protocol.md"}


def configure(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="study|protocol|server")
    study = kinds.add_parser("study", help="a study of two modes, in one file")
    study.add_argument("--question", default="What differs between them?", help="what it asks")
    study.add_argument("--mode", nargs="+", default=MODES, metavar="MODE", help="what it compares")
    kinds.add_parser("protocol", help="an engine for datagrams, its tests, server and table row")
    server = kinds.add_parser("server", help="a second peer of a protocol, which answers nothing")
    server.add_argument("--of", required=True, metavar="PROTOCOL", help="what it speaks")
    for kind in kinds.choices.values():
        kind.add_argument("name", metavar="NAME")


def run(arguments: argparse.Namespace) -> int:
    options = {key: getattr(arguments, key) for key in ("question", "of") if key in arguments}
    if arguments.kind == "study":
        options["modes"] = arguments.mode
    change = scaffold.KINDS[arguments.kind](arguments.name, **options)
    change.write()
    for name in change.made:
        print(f"made      {name}")
    for name in change.changed:
        print(f"changed   {name}")
    for line in NEXT[arguments.kind]:
        print(f"next      {line.format(name=arguments.name)}")
    print(f"read      {PAGES.get(arguments.kind, 'docs/peers.md')}")
    return 0
