"""Make and read payloads of the workload, which firmware/core/app/workload.h defines.

The form is "ID SEQ T_US[ ...]" from 24 bytes on, and "ID:SEQ..." below.
"""

from __future__ import annotations

import re

_LONG_FORM_BYTES = 24  # firmware/core/app/workload.h
_LONG = re.compile(rb"([!-9;-~]{1,23}) (\d{1,10}) (\d+) ?\.*")
# In an object, the first property's value.
_PROPERTY = re.compile(rb'\{"[^"]*":"([^"]*)".*\}', re.DOTALL)
_COMPACT = re.compile(rb"([!-9;-~]{0,23}):(\d{1,10})\.*")


def payload(name: str, seq: int, time_us: int, size: int) -> bytes:
    """Make a payload of `size` bytes; a short one has no time, or only the end of the name."""
    head = f"{name} {seq} {time_us}".encode()
    if size >= _LONG_FORM_BYTES and len(head) <= size:
        return (head + b" ").ljust(size, b".")[:size]
    number = str(seq).encode()[-(size - 1) :]
    room = size - 1 - len(number)
    return (name.encode()[len(name) - min(len(name), room) :] + b":" + number).ljust(size, b".")


def message(payload: bytes) -> tuple[str, int] | None:
    """Return the sender's name and the sequence number in a payload of the workload; None for other
    bytes. A short payload may have only the end of the name."""
    if within := _PROPERTY.fullmatch(payload):
        payload = within[1]
    found = _LONG.fullmatch(payload) or _COMPACT.fullmatch(payload)
    return (found[1].decode(), int(found[2])) if found and int(found[2]) < 1 << 32 else None


def sequence(payload: bytes) -> int | None:
    """Return the sequence number in a payload of the workload; None for other bytes."""
    found = message(payload)
    return found[1] if found else None
