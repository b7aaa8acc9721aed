"""The configuration of a board, from a trial's parameters: `key=value` words.

Keys and units are those of firmware/core/config.h. A duration becomes milliseconds; what a trial
does not name keeps the firmware's default.
"""

from __future__ import annotations

from typing import Any

from hil.design import plan

# From network up to the first message: the broker's handshake is over by then.
START_MS = 1000
_STATISTICS_MS = 10_000

# Parameters with the same name and unit on both sides.
_SAME = (
    "qos", "confirmable", "keep_alive", "nagle", "mss", "payload_bytes", "interval_ms", "messages",
    "separate_ms", "block_bytes",
    "keepalive_s", "modem_sleep", "role",
)  # fmt: skip


def _text(value: Any) -> str:
    """A value as the firmware reads it: booleans are 0 or 1, lists are joined by commas."""
    if isinstance(value, bool):
        return str(int(value))
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def words(document: dict[str, Any], nonce: str) -> str:
    """The configuration line of the trial `document` (trial.json)."""
    parameters = document["parameters"]
    protocol = parameters["protocol"]
    given: dict[str, Any] = {
        "nonce": nonce,
        "id": plan.BOARD_ID,
        "mac": plan.BOARD_MAC,
        "ip": plan.BOARD_IP,
        "mask": plan.NETMASK,
        "seed": max(1, document["seed"]),
        "proto": protocol,
        "peer": plan.SERVER_IP,
        "port": plan.PORTS[plan.server(parameters)],
        "topic": plan.TOPIC,
        "start_ms": START_MS,
        "stat_ms": _STATISTICS_MS,
    }
    given |= {key: parameters[key] for key in _SAME if key in parameters}
    if "clean_session" in parameters:
        given["clean"] = parameters["clean_session"]
    if "duration_s" in parameters:
        given["duration_ms"] = parameters["duration_s"] * 1000
    if parameters.get("clients") and parameters.get("role", "publish") != "publish":
        given.pop("messages", None)  # the load counts them, client by client
    if protocol == "amqp" and parameters.get("role") == "subscribe":
        given["queue"] = plan.BOARD_QUEUE
    if parameters.get("qos") == -1:  # knows no registration (MQTT-SN 1.2, section 6.8)
        given["topic_type"] = "predefined"
    if parameters.get("quirks"):
        given["quirks"] = parameters["quirks"]
    return " ".join(f"{key}={_text(value)}" for key, value in given.items())
