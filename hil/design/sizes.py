"""How large a payload may be: what the firmware sends in one piece, and what carries more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hil.design import protocols
from hil.errors import InputError

PIECE_BYTES = 1440  # TW_PAYLOAD_MAX of firmware/core/engine.h


def check(parameters: Mapping[str, Any], source: str | Path) -> None:
    """Raise InputError for a payload that the protocol cannot carry: a datagram holds a piece."""
    size, protocol = parameters["payload_bytes"], protocols.protocols()[parameters["protocol"]]
    if size <= PIECE_BYTES or protocol.transport == "tcp" or parameters.get("block_bytes"):
        return
    blocks = ", or set block_bytes" if protocol.name == "coap" else ""
    raise InputError(
        source,
        "payload_bytes",
        f"{size} bytes are more than a datagram of the firmware holds",
        f"give {PIECE_BYTES} or less{blocks}",
    )
