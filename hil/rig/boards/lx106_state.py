"""The state in which the firmware of the board lx106 begins, and resets from outside, as options of
its emulator (sim/lx106).

The emulator sets variables of the firmware, found by their names in its symbol table, when its
start code has cleared them. So the firmware's image stays the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hil.base.errors import TrialError
from hil.design.facts import Facts
from hil.rig.boards import emulators, lx106_symbols

_WORD = (1 << 32) - 1
_ALIGNED = 16
_SEED = re.compile(r"((?:^| )seed=)(\d+)")
_SEED_STEP = 0x9E3779B9  # as in firmware/core/app/deep_sleep.c
# The function after which nothing has yet read the clock or asked for memory.
_BEGIN = "board_main"


class _Variables:
    """Addresses in one image."""

    def __init__(self, image: Path) -> None:
        self._image = image
        self._known = lx106_symbols.addresses(image)

    def at(self, name: str, file: str = "") -> int:
        """Return the address of a symbol; `file`: the source in which it is static.

        Raises:
            TrialError: the image has none, or several.
        """
        found = self._known.get((file, name), ())
        if len(found) != 1:
            raise TrialError(
                f"the firmware has {len(found)} symbols {name} where one is needed: link it once "
                "with the project's runtime, and do not strip it"
            )
        return found[0]


def _words_of_clock(variables: _Variables, start_ms: int) -> Iterator[tuple[int, int]]:
    """Yield address and value of each word of the clock (firmware/boards/lx106/src/clock.c)."""
    start_us = start_ms * 1000
    low = variables.at("now_us", "clock.c")
    yield low, start_us & _WORD
    yield low + 4, start_us >> 32
    yield variables.at("now_ms", "clock.c"), start_ms & _WORD


def _words_of_heap(variables: _Variables, free_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield address and value of each word of the heap (firmware/boards/lx106/src/heap.c).

    Raises:
        TrialError: the image has less.
    """
    begin, end = variables.at("__heap_start"), variables.at("__heap_end")
    free_bytes -= free_bytes % _ALIGNED
    taken = end - begin - free_bytes
    if taken < 0:
        raise TrialError(f"heap_bytes: the firmware's image leaves {end - begin} bytes of heap")
    yield variables.at("heap_break", "heap.c"), end - free_bytes
    yield variables.at("used", "heap.c"), taken
    yield variables.at("used_max", "heap.c"), taken


def _later_words(line: str, starts: int) -> Iterator[str]:
    """Yield the configuration line of each start after the first, with a seed of its own: what is
    drawn by chance, such as message IDs, must not come again (RFC 7252, 4.4)."""
    for start in range(1, starts + 1):
        yield _SEED.sub(
            lambda found, start=start: (
                f"{found[1]}{max(1, (int(found[2]) + start * _SEED_STEP) & _WORD)}"
            ),
            line,
            count=1,
        )


def prepared(argv: Sequence[str], emulator: str, image: Path, facts: Facts) -> list[str]:
    """Return the emulator's command with what this trial needs.

    Raises:
        TrialError: the emulator or the image does not support it.
    """
    if emulator != emulators.DEFAULT:
        raise TrialError(
            "device_reset, clock_start_ms and heap_bytes need the emulator "
            f"{emulators.DEFAULT}: use it instead of {emulator}"
        )
    options = ["--resets"] if facts.resets_device else []
    resets = sum(fault["kind"] == "device_reset" for fault in facts.faults)
    for line in _later_words(argv[-1], resets):
        options += ["--later-words", line]
    if facts.clock_start_ms or facts.heap_bytes:
        variables = _Variables(image)
        options += ["--at", f"{variables.at(_BEGIN):x}"]
        if facts.clock_start_ms:
            for address, value in _words_of_clock(variables, facts.clock_start_ms):
                options += ["--first-word", f"{address:x}={value:x}"]
        if facts.heap_bytes:
            for address, value in _words_of_heap(variables, facts.heap_bytes):
                options += ["--word", f"{address:x}={value:x}"]
    return [argv[0], *options, *argv[1:]]
