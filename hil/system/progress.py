"""Progress of long work, told to whoever asked for it."""

from __future__ import annotations

from collections.abc import Callable

# Called with the virtual seconds gone.
Progress = Callable[[int], None]


def in_silence(virtual_s: int) -> None:
    """Progress that nobody wants to hear of."""
