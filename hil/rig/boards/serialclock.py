"""The clocks of a board at a serial line: from one start to the next, and over its deep sleeps."""

from __future__ import annotations

from typing import Any

_MOST_LATE = 1.25  # the RC oscillator that measures a sleep is some per cent off
_START_S = 5.0  # ROM, boot loader and firmware


class Clock:
    """Compares the board's clock with the host's, from lines with both stamps.

    Lines can arrive late but never early, so the smallest difference at the start and at the end is
    used.
    """

    def __init__(self) -> None:
        self._pairs: list[tuple[float, float]] = []

    def note(self, arrived: float, board_s: float) -> None:
        self._pairs.append((board_s, arrived - board_s))

    def summary(self) -> dict[str, Any]:
        """Return the number of lines, the host's time at the board's zero in s, the drift in ppm
        (positive for a fast clock). The drift needs at least 5 s."""
        if len(self._pairs) < 4:
            return {"lines": len(self._pairs)}
        part = max(2, len(self._pairs) // 4)
        early, late = (
            min(p, key=lambda x: x[1]) for p in (self._pairs[:part], self._pairs[-part:])
        )
        found: dict[str, Any] = {"lines": len(self._pairs), "offset_s": round(early[1], 4)}
        if (apart := late[0] - early[0]) >= 5:
            found["drift_ppm"] = round((early[1] - late[1]) / apart * 1e6, 1)
        return found


class Starts:
    """A board's starts in one trial. After deep sleep its clock goes on by the stated sleep, so
    each start has its own relation to the host's clock."""

    def __init__(self) -> None:
        self._clocks = [Clock()]
        self._asleep: tuple[float, float] | None = None  # since when, and for how long, in s
        self._sleeps: list[dict[str, float]] = []

    @property
    def asleep(self) -> bool:
        """Whether the board sleeps deeply. Until its first line its boot ROM prints, at another
        rate, so that nothing heard meanwhile is a damaged line."""
        return self._asleep is not None

    @property
    def slept(self) -> bool:
        """Whether the board sleeps deeply, or did."""
        return self.asleep or bool(self._sleeps)

    def note(self, entry: dict[str, Any], arrived: float) -> None:
        """Note a line of its log that arrived at a time of the host, in s."""
        if entry["ev"] == "boot" and self._asleep is not None:
            began, stated_s = self._asleep
            self._sleeps.append({"stated_s": stated_s, "host_s": round(arrived - began, 4)})
            self._clocks.append(Clock())
        self._asleep = None
        self._clocks[-1].note(arrived, entry["t"] / 1e6)
        if entry["ev"] == "sleeping":
            self._asleep = (arrived, int(entry["us"]) / 1e6)

    def overslept(self, now: float) -> str:
        """Return that the board did not wake when it should have, or an empty text."""
        if self._asleep is None:
            return ""
        began, stated_s = self._asleep
        if now - began <= stated_s * _MOST_LATE + _START_S:
            return ""
        return f"asleep for {now - began:.0f} s instead of {stated_s:.0f}; is GPIO16 wired to RST?"

    def summary(self) -> dict[str, Any]:
        """Return `clock` (Clock.summary) of the first start. A board that slept has `wakings`, too:
        the clock of each, how long its sleep was to last, and how long it was silent, in s."""
        clock, *later = (each.summary() for each in self._clocks)
        wakings = [each | sleep for each, sleep in zip(later, self._sleeps, strict=True)]
        return {"clock": clock, **({"wakings": wakings} if wakings else {})}
