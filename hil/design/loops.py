"""Closed loops: a device and one client of the load, each of whom waits for the other's message.

With the parameter `pace: answer` the device asks, with `role: echo` the client does.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hil.errors import InputError

# A round trip in a busy cell takes no longer than this, in the mean: how long a trial may last.
_ROUND_TRIP_MS = 20
_NUMBERED_BYTES = 10  # from here on a payload has room for its sender and the number


def asks(parameters: Mapping[str, Any]) -> bool:
    """Does the device ask, and wait for the answer?"""
    return bool(parameters.get("pace") == "answer")


def closed(parameters: Mapping[str, Any]) -> bool:
    """Does a message wait for the one before it to be answered?"""
    return asks(parameters) or parameters.get("role") == "echo"


def load(parameters: Mapping[str, Any]) -> str:
    """What kind of load the device has, as in the column `loads` of the table of protocols."""
    return "answer" if asks(parameters) else str(parameters["role"])


def pace_ms(parameters: Mapping[str, Any]) -> float:
    """How long a message takes until the next, at most and in the mean: what trials are planned
    with."""
    interval = float(parameters["interval_ms"])
    return max(interval, _ROUND_TRIP_MS) if closed(parameters) else interval


def check(parameters: Mapping[str, Any], source: str | Path) -> None:
    """Raise InputError where a loop has no partner, messages no distance, or no number.

    Raises:
        InputError: says which.
    """
    if closed(parameters):
        if parameters["clients"] != 1:
            what = "pace answer" if asks(parameters) else "role echo"
            raise InputError(
                source, "clients", f"{what} needs one client to speak with", "set it to 1"
            )
    elif not parameters["interval_ms"]:
        raise InputError(
            source, "interval_ms", "is 0, and no answer is waited for", "give 1 or more"
        )
    _check_sizes(parameters, source)


def _check_sizes(parameters: Mapping[str, Any], source: str | Path) -> None:
    steps, messages = parameters.get("payload_steps") or [], parameters["messages"]
    if steps and not (closed(parameters) and messages):
        raise InputError(
            source,
            "payload_steps",
            "are shares of the messages of a closed loop",
            "give messages, and pace answer or role echo",
        )
    for size, last in last_numbers(parameters).items():
        short = not messages or len(str(last)) > size - 1 or parameters["clients"] > 1
        if size < _NUMBERED_BYTES and short:
            raise InputError(
                source,
                "payload_bytes",
                f"{size} bytes have no room for sender and number of each message",
                f"give {_NUMBERED_BYTES} or more, or fewer messages from one sender",
            )


def last_numbers(parameters: Mapping[str, Any]) -> dict[int, int]:
    """Every payload of a trial, in bytes, and the number of the last message that has it."""
    sizes = [parameters["payload_bytes"], *(parameters.get("payload_steps") or [])]
    share = parameters["messages"] // len(sizes)
    numbers = {size: share * place for place, size in enumerate(sizes, 1)}
    return numbers | {sizes[-1]: parameters["messages"]}  # what cannot be shared is the last one's
