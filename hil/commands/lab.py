"""`thinwire lab build | info | shell`: the virtual machine of the laboratory."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from typing import Any

from hil.machine import flavours, image, machines
from hil.testbeds.virtual import VirtualTestbed

EXAMPLES = """\
Examples:
  thinwire lab build
  thinwire lab shell
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, text in (
        ("build", "build image and snapshot, unless they exist"),
        ("info", "print what the image contains"),
        ("shell", "open a shell in the machine, with servers running"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument(
            "--machine", default="auto", choices=machines.NAMES, help="which virtual machine"
        )
        if name == "info":
            action.add_argument("--json", action="store_true", help="print JSON")
        if name == "build":
            action.add_argument(
                "--flavour",
                default=flavours.COMMON.name,
                choices=flavours.flavours(),
                help="the variant of the image to build (workflow/protocols.yaml; default: common)",
            )


def _build(machine: machines.Machine) -> image.Image:
    """Build the image; print a progress line for each slow step."""
    started = time.monotonic()
    print("lab: looking for the image of this environment", file=sys.stderr)
    found = image.build()
    print(f"lab: image {found.digest} ({time.monotonic() - started:.1f} s)", file=sys.stderr)
    if machine.name == "qemu" and not found.snapshot.exists():
        print("lab: booting it twice for the snapshot", file=sys.stderr)
    machine.prepare(flavours.COMMON)
    image.mark_current(found)
    print(
        f"lab: machine {machine.name} ready ({time.monotonic() - started:.1f} s)", file=sys.stderr
    )
    return found


def _build_apart(machine: str, flavour: flavours.Flavour) -> None:
    """Build the image and snapshot of a flavour."""
    started = time.monotonic()
    VirtualTestbed(machine).prepare(flavour)
    took = time.monotonic() - started
    print(f"lab: machine with {flavour.name} ready ({took:.1f} s)", file=sys.stderr)


def description(known: Mapping[str, Any]) -> str:
    """Return what the image contains in plain words: its parts, then a line for each program."""
    machine = known["machine"]
    rows = [
        ("image", f"{known['digest']}, {known['files']} files"),
        ("machine", f"{machine['machine']}, Linux {machine['kernel']}"),
        ("digest", f"{machine['image']} (kernel and image, as in each bundle's lab.json)"),
        ("qemu", f"Linux {known['kernel']}, {known['qemu']}"),
    ]
    programs = known["programs"]
    width = max(map(len, programs), default=0)
    lines = [f"{name:9} {text}" for name, text in rows]
    lines += ["", "programs with their SHA-256:"]
    return "\n".join(
        [*lines, *(f"  {name:{width}}  {programs[name]}" for name in sorted(programs))]
    )


def run(arguments: argparse.Namespace) -> int:
    machine = machines.choose(arguments.machine)
    match arguments.action:
        case "build" if arguments.flavour != flavours.COMMON.name:
            _build_apart(arguments.machine, flavours.flavours()[arguments.flavour])
        case "info":
            made = image.build()
            known = made.info() | {"machine": machine.versions(made)}
            as_json = json.dumps(known, indent=1, sort_keys=True)
            print(as_json if arguments.json else description(known))
        case "shell":
            return machine.shell(_build(machine))
        case _:
            print(machine.versions(_build(machine))["image"])
    return 0
