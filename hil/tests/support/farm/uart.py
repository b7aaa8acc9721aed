"""A serial line whose two ends may have different rates: the bytes that one end reads from the
other.
"""

from __future__ import annotations

_DATA_BITS = 8


def received(data: bytes, sent_at: int, read_at: int) -> bytes:
    """`data`, sent back to back at `sent_at` baud with one stop bit and no parity, as a receiver at
    `read_at` baud samples it: in the middle of each of its own bits after a falling edge. A byte
    without a stop bit counts, as it does for a driver that checks no framing."""
    if sent_at == read_at:
        return data
    levels = "".join(f"0{f'{byte:08b}'[::-1]}1" for byte in data)
    step = sent_at / read_at  # one bit of the receiver, in bits of the sender
    found, at = bytearray(), 0.0
    while (edge := levels.find("0", int(at))) >= 0:
        start = max(at, float(edge))
        samples = [int(start + step * (bit + 1.5)) for bit in range(_DATA_BITS)]
        bits = [levels[place] if place < len(levels) else "1" for place in samples]
        found.append(int("".join(reversed(bits)), 2))
        at = start + step * (_DATA_BITS + 1.5)
        at = max(at, float(levels.find("1", int(at))))  # a low line is no new start
    return bytes(found)
