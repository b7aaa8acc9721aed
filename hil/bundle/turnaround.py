"""How long a server took for a message: from the device's frame with data to the server's next one
with data, on the wire. A server that says nothing but acknowledgements of TCP has none."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from hil.bundle import pcapng
from hil.bundle.pcapng import Frame
from hil.design import plan
from hil.design.servertime import SHARES
from hil.errors import InputError

_IPV4, _TCP, _UDP = b"\x08\x00", 6, 17


def _data_bytes(data: bytes) -> int:
    """Bytes of the application in a frame of TCP or UDP over IPv4; 0 for any other."""
    if data[12:14] != _IPV4 or len(data) < 34:
        return 0
    at = 14 + 4 * (data[14] & 15)
    end = 14 + int(struct.unpack_from(">H", data, 16)[0])
    if data[23] == _UDP:
        return end - at - 8
    if data[23] == _TCP and len(data) >= at + 20:
        return end - at - 4 * (data[at + 12] >> 4)
    return 0


def turnarounds_us(frames: Iterable[Frame]) -> Iterator[float]:
    """Microseconds, one for each frame of the board that the server answered before the next."""
    board, server = (bytes.fromhex(m.replace(":", "")) for m in (plan.BOARD_MAC, plan.SERVER_MAC))
    asked_ns: int | None = None
    for frame in frames:
        if _data_bytes(frame.data) <= 0:
            continue
        if frame.data[6:12] == board:
            asked_ns = frame.time_ns
        elif frame.data[6:12] == server and asked_ns is not None:
            yield (frame.time_ns - asked_ns) / 1000
            asked_ns = None


def quantile(values: list[float], share: float) -> float:
    """The least of the sorted values that is not below `share` per cent of them."""
    return values[min(len(values) - 1, int(share / 100 * len(values)))]


def summary(bundle: Path) -> str:
    """How many answers a bundle's capture has, and their quantiles at servertime.SHARES.

    Raises:
        InputError: there is no capture, or no answer in it.
    """
    values = sorted(turnarounds_us(pcapng.read(bundle / "wire.pcapng.gz")))
    if not values:
        raise InputError(
            bundle / "wire.pcapng.gz",
            "",
            "the server answered nothing",
            "take a trial with acknowledgements",
        )
    cells = ", ".join(f"{quantile(values, share):.0f}" for share in SHARES)
    return f"{len(values)} answers, time_us: [{cells}]"
