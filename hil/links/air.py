"""The 802.11 cell: the program `air`, a TAP for the servers, a datagram port for the board."""

from __future__ import annotations

from typing import Any

from hil.links.base import BoardPort, Link


class AirLink(Link):
    def prepare(self) -> None: ...
    def connect(self, parameters: dict[str, Any], seed: int) -> BoardPort: ...
    def problem(self) -> str: ...
    def close(self) -> dict[str, Any]: ...
