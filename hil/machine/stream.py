"""The stream in which QEMU writes a machine's state (its docs/devel/migration.rst), without the
influence of the host's clocks: the same state gives the same bytes.

A section is a type, a number of 4 bytes, its content, and a footer with the number. Memory comes in
steps: START, PART and END. QEMU ends a PART after 50 ms of the host's time, so on an overloaded
host there are several, or END contains the last pages.
"""

from __future__ import annotations

import re

# The section "timer" of version 2 (a header of type, number, name and instance): the offset of the
# host's tick counter, 8 unused bytes, the offset of the host's clock.
_HOST_CLOCKS = re.compile(rb"(?s)(\x04.{4}\x05timer\0\0\0\0\0\0\0\x02).{8}(.{8}).{8}")
# The end of a step of memory (RAM_SAVE_FLAG_EOS, the footer), and the head of the next.
_PART, _END = b"\x02", b"\x03"
_STEPS = re.compile(rb"(?s)(\0{7}\x10\x7e(.{4}))[\x02\x03]\2")


def _in_one_part(state: bytes) -> bytes:
    """Move all pages into one PART and none into END, as on an idle host."""
    start = _STEPS.search(state)
    if start is None:
        return state
    end, number = start.groups()
    pages, _, rest = _STEPS.sub(b"", state[start.end() :]).partition(end)
    head = state[: start.end(1)] + _PART + number
    return head + pages + end + _END + number + end + rest


def canonical(state: bytes) -> bytes:
    """Return the stream with memory in one part, and with 0 for the host's clocks, which a machine
    that counts instructions does not read."""
    return _in_one_part(_HOST_CLOCKS.sub(rb"\1" + bytes(8) + rb"\2" + bytes(8), state))
