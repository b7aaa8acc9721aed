"""`thinwire lab build | info | shell`: the time-warped machine."""

from __future__ import annotations

import argparse
import json
import sys
import time

from hil.machine import image, shell, snapshot


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="build|info|shell")
    actions.add_parser("build", help="make the image and its snapshot, if they are not there")
    actions.add_parser("info", help="what is in the image")
    actions.add_parser("shell", help="a prompt inside, servers running")


def _build() -> image.Image:
    """Build with a line of progress for each of the two steps that take time."""
    started = time.monotonic()
    print("lab: looking for the image of this environment", file=sys.stderr)
    found = image.build()
    print(f"lab: image {found.digest} ({time.monotonic() - started:.1f} s)", file=sys.stderr)
    if not found.snapshot.exists():
        print("lab: booting it twice for the snapshot", file=sys.stderr)
    print(f"lab: snapshot {snapshot.ensure(found)}", file=sys.stderr)
    image.mark_current(found)
    print(f"lab: ready ({time.monotonic() - started:.1f} s)", file=sys.stderr)
    return found


def run(arguments: argparse.Namespace) -> int:
    match arguments.action:
        case "info":
            print(json.dumps(image.build().info(), indent=1, sort_keys=True))
        case "shell":
            return shell.run(_build())
        case _:
            print(_build().digest)
    return 0
