"""A process of the machine `uml` that waits for the host without a system call.

Time does not pass inside while a process computes. So a process that reads its own memory until the
host has changed it waits for as long as the host wants, and nothing inside notices.
"""

from __future__ import annotations

import ctypes

# By these and the number's own address the host finds it in the memory of the process.
MAGIC = 0x68616C7474787774
ALIGNMENT = 64


class _Place(ctypes.Structure):
    _fields_ = (
        ("magic", ctypes.c_uint64),
        ("address", ctypes.c_uint64),
        ("released", ctypes.c_uint32),
    )


RELEASED_AT = _Place.released.offset
RELEASED = bytes(ctypes.c_uint32(1))


def wait() -> None:
    """Wait until the host has released this process (hil/machine/uml/halted.py)."""
    memory = ctypes.create_string_buffer(2 * ALIGNMENT)
    place = _Place.from_buffer(memory, -ctypes.addressof(memory) % ALIGNMENT)
    place.address = ctypes.addressof(place)
    place.magic = MAGIC
    while not place.released:
        pass
