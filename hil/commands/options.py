"""Options that commands share and pass on to the scripts of the analysis."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from hil.commands import complete


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add the options for the format of a table of metrics."""
    one = parser.add_mutually_exclusive_group()
    one.add_argument(
        "--format",
        default="table",
        choices=["table", "csv", "json"],
        help="table (default), csv with one row per metric, or json",
    )
    one.add_argument(
        "--json",
        dest="format",
        action="store_const",
        const="json",
        help="short for --format json",
    )


def add_profile(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses one of the designs of a study."""
    parser.add_argument(
        "--profile",
        default="quick",
        choices=["quick", "full"],
        help="how much of each study's design",
    )


def add_capture(parser: argparse.ArgumentParser) -> None:
    """Add the options that select what of a capture is measured."""
    parser.add_argument("--device", metavar="IP", help="address of the device")
    parser.add_argument(
        "--topic", metavar="TOPIC", help="MQTT topic, CoAP or HTTP path, AMQP routing key"
    )
    parser.add_argument(
        "--ports",
        metavar="PROTOCOL=PORT",
        help="protocols on non-standard ports, such as mqtt=1884,coap=5700",
    )
    parser.add_argument(
        "--keys",
        metavar="FILE",
        help="secrets of TLS and DTLS sessions (a key log in the format of SSLKEYLOGFILE)",
    ).completer = complete.files  # type: ignore[attr-defined]
    parser.add_argument(
        "--strict",
        action="store_const",
        const="yes",
        help="refuse a capture with integrity findings (default: print the findings)",
    )


CAPTURE = ("device", "topic", "ports", "keys", "strict")


def words(arguments: argparse.Namespace, names: Iterable[str]) -> list[str]:
    """Return the given options as arguments for a script of the analysis."""
    given = {name: getattr(arguments, name) for name in names}
    return [f"--{name}={value}" for name, value in given.items() if value is not None]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a line for each row; columns are as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
