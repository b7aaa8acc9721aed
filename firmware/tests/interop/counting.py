"""Count messages by the sequence number in their payload (firmware/core/app/workload.h)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from hil.design.payload import sequence


def payload(seq: int) -> bytes:
    """A payload as firmware/core/app/workload.h has it."""
    return f"peer1 {seq} 1 ".encode().ljust(30, b".")


@dataclass
class Count:
    """What arrived."""

    seen: Counter[int] = field(default_factory=Counter)
    foreign: int = 0

    def add(self, payload: bytes) -> None:
        """Count one message."""
        self.add_sequence(sequence(payload))

    def add_sequence(self, seq: int | None) -> None:
        """Count one message by its number, None for a foreign one."""
        if seq is None:
            self.foreign += 1
        else:
            self.seen[seq] += 1

    def summary(self) -> dict[str, int]:
        """Return how many messages arrived, how many came again, how many were foreign."""
        return {
            "delivered": len(self.seen),
            "duplicated": sum(self.seen.values()) - len(self.seen),
            "foreign": self.foreign,
        }
