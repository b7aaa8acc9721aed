"""`thinwire ask --sleep deep`: its options, and its answer."""

from __future__ import annotations

import argparse
from typing import Any

from hil.base.documents import read_json
from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.commands import wakes, wakes_text
from hil.commands.options import aligned
from hil.commands.recommend import Question
from hil.commands.wakes import Way

SLEEP = "deep"
# What wake-ups cost where the build of the models has none, with the commit of their trials.
SHIPPED = ROOT / "data" / "shipped" / "wakes.json"
# A larger message takes several frames; the trials of wake-ups had one each.
_FRAME_BYTES = 1440
# What the other answers do and this one does not, by the name of the argument.
_NOT_HERE = ("record", "write_study")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how the device wakes."""
    group = parser.add_argument_group("how a device in deep sleep wakes (with --sleep deep)")
    group.add_argument(
        "--join",
        choices=("cached", "scan"),
        help="it knows the channel of the access point, or scans all (default: cached)",
    )
    group.add_argument(
        "--wifi-security",
        choices=("open", "wpa2-psk"),
        help="of the access point (default: wpa2-psk)",
    )
    group.add_argument(
        "--address",
        choices=("static", "cached", "dhcp"),
        help="its IP address is configured, asked for again, or leased anew (default: static)",
    )
    group.add_argument(
        "--lookups",
        action="store_true",
        default=None,
        help="it resolves its server's name and asks for the time",
    )
    group.add_argument(
        "--tls",
        choices=("none", "kept", "forgotten"),
        help="TLS 1.2 with a session that is kept over deep sleep, or forgotten (default: none)",
    )


def way_of(arguments: argparse.Namespace) -> Way | None:
    """Return how the device wakes; None if it does not sleep deeply.

    Raises:
        InputError: an option of deep sleep is given without it.
    """
    given = {
        name: value
        for name in Way.__dataclass_fields__
        if (value := getattr(arguments, name)) is not None
    }
    if arguments.sleep == SLEEP:
        return Way(**given)
    if given:
        name = f"--{min(given).replace('_', '-')}"
        raise InputError(name, "", "is for a device in deep sleep", "add --sleep deep")
    return None


def _check(arguments: argparse.Namespace, question: Question) -> None:
    """Refuse what no trial of a wake-up can answer."""
    if question.load != "idle":
        raise InputError("--load", question.load, "no trial woke in a busy cell", "leave it out")
    if question.payload > _FRAME_BYTES:
        problem = f"no trial woke with more than {_FRAME_BYTES} bytes"
        raise InputError("--payload", f"{question.payload:g}", problem, "give less")
    if question.weights != {"battery": 1.0}:
        raise InputError("--by", "", "wake-ups are ranked by the battery alone", "leave it out")
    for name in _NOT_HERE:
        if getattr(arguments, name):
            option = f"--{name.replace('_', '-')}"
            raise InputError(option, "", "does not go with --sleep deep", "use --json")


def answer(
    arguments: argparse.Namespace, document: dict[str, Any], question: Question, way: Way
) -> int:
    """Print the answer.

    Raises:
        InputError: no trial answers the question.
    """
    _check(arguments, question)
    if "wakes" not in document:
        remedy = "run the studies wake and wake-modes"
        document = document | {"wakes": read_json(SHIPPED, remedy)}
    found = wakes.wake_ups(document, question, way)
    if arguments.json:
        print(wakes_text.as_json(document, question, way, found))
        return 0
    print(wakes_text.sentences(document, question, way, found))
    print(wakes_text.words(question, way))
    print("\n".join(["", f"A wake-up with {found[0].label}:"]))
    print("\n".join(aligned(wakes_text.phase_table(found[0]))))
    modes = wakes_text.mode_table(document, question, found, arguments.all)
    print("\n".join(["", *aligned(modes)]))
    print("\n".join(["", *wakes_text.basis(document)]))
    return 0
