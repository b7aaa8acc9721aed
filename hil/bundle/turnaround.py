"""The turnaround of a server on the wire: the time from a frame of the device with data to the next
frame of the server with data. A server that sends only TCP acknowledgements has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from hil.base.errors import InputError
from hil.bundle import ipv4, pcapng
from hil.bundle.pcapng import Frame
from hil.design.servertime import SHARES


def turnarounds_us(frames: Iterable[Frame]) -> Iterator[float]:
    """Yield the turnaround, in us, of each frame of the board that was answered before the next."""
    request_ns: int | None = None
    for frame in frames:
        if ipv4.data_bytes(frame.data) <= 0:
            continue
        who = ipv4.sender(frame.data)
        if who == ipv4.BOARD:
            request_ns = frame.time_ns
        elif who == ipv4.SERVER and request_ns is not None:
            yield (frame.time_ns - request_ns) / 1000
            request_ns = None


def quantile(values: list[float], share: float) -> float:
    """Return the smallest of the sorted values that is not below `share` per cent of them."""
    return values[min(len(values) - 1, int(share / 100 * len(values)))]


class Times(NamedTuple):
    """How often the server of a bundle answered, and how long it took.

    Attributes:
        answers: frames of the board that were answered before the next.
        time_us: quantiles of the turnaround at servertime.SHARES per cent, in us.
    """

    answers: int
    time_us: list[float]

    def __str__(self) -> str:
        cells = ", ".join(f"{value:.0f}" for value in self.time_us)
        return f"{self.answers} answers, time_us: [{cells}]"


def times_us(bundle: Path) -> Times:
    """Return the turnarounds of a bundle's capture.

    Raises:
        InputError: there is no capture, or it contains no answer.
    """
    values = sorted(turnarounds_us(pcapng.read(bundle / "wire.pcapng.gz")))
    if not values:
        raise InputError(
            bundle / "wire.pcapng.gz",
            "",
            "the server answered nothing",
            "choose a trial with acknowledgements",
        )
    return Times(len(values), [quantile(values, share) for share in SHARES])
