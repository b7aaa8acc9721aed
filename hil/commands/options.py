"""Options that commands share, each defined once, and passed on to the scripts of the analysis."""

from __future__ import annotations

import argparse
from collections.abc import Iterable


def add_format(parser: argparse.ArgumentParser) -> None:
    """How a table of metrics is printed."""
    parser.add_argument(
        "--format",
        default="table",
        choices=["table", "csv", "json"],
        help="table (default), to read; csv: a row for each metric; json",
    )
    parser.add_argument(
        "--json",
        dest="format",
        action="store_const",
        const="json",
        help="the same as --format json",
    )


def add_capture(parser: argparse.ArgumentParser) -> None:
    """What of a capture is measured."""
    parser.add_argument("--device", metavar="IP", help="address of the device")
    parser.add_argument("--topic", help="MQTT topic, CoAP or HTTP path, AMQP routing key")
    parser.add_argument("--ports", help="protocols on ports of their own: mqtt=1884,coap=5700")
    parser.add_argument(
        "--keys",
        metavar="FILE",
        help="secrets of TLS and DTLS sessions (a key log, as SSLKEYLOGFILE names it)",
    )
    parser.add_argument(
        "--strict",
        action="store_const",
        const="yes",
        help="refuse a capture that fails its integrity check; without it the findings are printed",
    )


CAPTURE = ("device", "topic", "ports", "keys", "strict")


def words(arguments: argparse.Namespace, names: Iterable[str]) -> list[str]:
    """The options that were given, as a script of the analysis takes them."""
    given = {name: getattr(arguments, name) for name in names}
    return [f"--{name}={value}" for name, value in given.items() if value is not None]
