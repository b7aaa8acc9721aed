"""The configuration line of a board, from a trial's parameters: `key=value` words.

Keys and units are those of firmware/core/config_keys.h. The table of parameters says which
parameter sets which key (`board` in workflow/schemas/parameters.schema.json).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hil.base.errors import InputError
from hil.design import acquisition, addressing, fleet, radio, samples
from hil.design.device import Device, values
from hil.design.facts import Facts
from hil.design.parameters import of_groups, table

# From "network up" to the first message, so that the broker's handshake is over by then.
START_MS = 1000
_STATISTICS_MS = 10_000
# As many as firmware/boards/lx106/runtime/arguments.h has room for.
_ARGV_MAX = 32


def _converted(name: str, key: str, value: Any) -> Any:
    """Return the value of a parameter in the unit of the board's key."""
    return value * 1000 if name.endswith("_s") and key.endswith("_ms") else value


def _text(value: Any) -> str:
    """Return a value as the firmware reads it: 0 or 1 for a boolean, commas within a list."""
    if isinstance(value, bool):
        return str(int(value))
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _places(
    document: dict[str, Any], nonce: str, number: int = 1, own: Facts | None = None
) -> dict[str, Any]:
    """Return the words that say who the board of this number is, and where its server is.

    Args:
        own: the facts of this board, where they are not those of the trial.
    """
    facts = own or Facts.of(document["parameters"])
    return {
        "nonce": nonce,
        "id": addressing.device_id(number),
        "mac": addressing.device_mac(number),
        "ip": addressing.device_ip(number),
        "mask": addressing.NETMASK,
        "seed": fleet.seed(document["seed"], number),
        "peer": addressing.SERVER_IP,
        "port": facts.port,
        "topic": facts.topic,
    }


def image_words(document: dict[str, Any], nonce: str, last: str) -> str:
    """Return the configuration line for a firmware of the user's own: the words of the board, and
    after the word `last` the firmware's arguments, divided by blanks.

    Raises:
        InputError: an argument cannot be passed, or a variable of an environment is given.
    """
    device = Device.of(document["device"]).resolved(values(document) | {"nonce": nonce})
    source = f"trial {document['study']}/{document['trial']}"
    if device.environment:
        name = min(device.environment)
        raise InputError(source, f"device.environment.{name}", "an image has none", "remove it")
    if len(device.argv) > _ARGV_MAX:
        problem = f"has {len(device.argv)} words, but an image takes {_ARGV_MAX}"
        raise InputError(source, "device.argv", problem, "give fewer")
    for number, argument in enumerate(device.argv[1:], start=1):
        if not re.fullmatch(r"[!-~]+", argument):
            problem = "an argument of an image is printable ASCII without blanks"
            raise InputError(source, f"device.argv.{number}", problem, f"change {argument!r}")
    given = _places(document, nonce) | {"stat_ms": _STATISTICS_MS}
    start = " ".join(f"{key}={_text(value)}" for key, value in given.items())
    return f"{start} {last}{' '.join(device.argv[1:])}"


def words(
    document: dict[str, Any],
    nonce: str,
    secure: Mapping[str, str],
    number: int = 1,
    own: dict[str, Any] | None = None,
) -> str:
    """Return the configuration line for the trial `document` (trial.json) on a board.

    Args:
        secure: its images with TLS (Board.secure).
        number: of the board among the trial's devices.
        own: the parameters of its group.
    """
    parameters = own or document["parameters"]
    facts = Facts.of(parameters)
    given = _places(document, nonce, number, facts)
    given |= {"start_ms": START_MS, "stat_ms": _STATISTICS_MS}
    for name, rule in table().items():
        if "board" in rule and name in parameters:
            given[rule["board"]] = _converted(name, rule["board"], parameters[name])
    given |= radio.words(facts)
    if times := samples.sample_ms(samples.PROCESSING_TIMES, facts.processing_times):
        given |= {"processing_ms": int(times[0]), "processing_steps": [int(ms) for ms in times[1:]]}
    if facts.secured:
        given["key_log"] = 1  # the bundle's captures hold the secrets of their sessions
        if facts.tls_version == "1.3" and not secure:
            given["tls_version"] = 13  # an image with a single version has no such key
    if facts.clients and facts.role != "publish":
        given["messages"] = 0  # the load counts them, client by client
    if facts.protocol == "oscore" and number > 1:  # two devices with one ID would share nonces
        given["sender_id"] = number
    if facts.protocol == "amqp" and facts.role == "subscribe":
        given["queue"] = addressing.BOARD_QUEUE
    if facts.qos == -1:  # works without registration (MQTT-SN 1.2, section 6.8)
        given["topic_type"] = "predefined"
    if facts.role != "publish":
        given.pop("payload_steps", None)  # the load makes the messages
    given |= acquisition.words(facts)
    for name in ("quirks", "payload_steps"):  # the firmware rejects an empty list
        if not given.get(name):
            given.pop(name, None)
    return " ".join(f"{key}={_text(value)}" for key, value in given.items() if value is not None)


def lines(document: dict[str, Any], nonce: str, secure: Mapping[str, str]) -> str:
    """Return the configuration lines of all devices of the trial `document`, in their order."""
    source = f"trial {document['study']}/{document['trial']}"
    parameters = of_groups(document["parameters"], source)
    groups = fleet.group_numbers(Facts.of(document["parameters"]))
    return "\n".join(
        words(document, nonce, secure, number, parameters[group])
        for number, group in enumerate(groups, start=1)
    )
