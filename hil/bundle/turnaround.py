"""How long a server took for a message: from the device's frame with data to the server's next one
with data, on the wire. A server that says nothing but acknowledgements of TCP has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hil.base.errors import InputError
from hil.bundle import ipv4, pcapng
from hil.bundle.pcapng import Frame
from hil.design.servertime import SHARES


def turnarounds_us(frames: Iterable[Frame]) -> Iterator[float]:
    """Microseconds, one for each frame of the board that the server answered before the next."""
    asked_ns: int | None = None
    for frame in frames:
        if ipv4.data_bytes(frame.data) <= 0:
            continue
        who = ipv4.sender(frame.data)
        if who == ipv4.BOARD:
            asked_ns = frame.time_ns
        elif who == ipv4.SERVER and asked_ns is not None:
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
