"""Captures by tcpdump, with stamps in nanoseconds."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import LabError, TrialError
from hil.system import processes

_SNAP_BYTES = 65535
_COUNTER = re.compile(r"^(\d+) packets? (captured|received by filter|dropped by kernel)", re.M)
# tcpdump reads a block of frames from the kernel when it is full or this old, to wake less often.
SETTLE_S = 1.2


@dataclass(frozen=True)
class CaptureReport:
    """The frames that tcpdump counted."""

    captured: int
    dropped: int


class Capture:
    """A running tcpdump that writes the frames that match `only` (pcap-filter(7)) to `file`, a pcap
    with nanoseconds."""

    def __init__(self, interface: str, namespace: str, file: Path, only: str = "") -> None:
        words = f"tcpdump -Z root -n -p -s {_SNAP_BYTES} -i {interface} --time-stamp-precision=nano"
        argv = [*words.split(), "-w", str(file), *([only] if only else [])]
        self.file = file
        self._child = processes.spawn(argv, namespace, file.with_suffix(".log"))

    def wait_ready(self) -> None:
        """Wait until tcpdump captures; LabError if it does not start."""
        try:
            self._child.wait_for(lambda: "listening on" in self._child.said())
        except TrialError as error:
            raise LabError(str(error)) from error

    def check(self) -> None:
        """Raise LabError if tcpdump has ended (a full disk, a vanished interface)."""
        if not self._child.alive():
            raise LabError(f"the capture ended early: {self._child.last_words()}")

    def stop(self) -> CaptureReport:
        """End the capture; call at least SETTLE_S after the last frame that counts.

        Raises:
            LabError: tcpdump ended early.
        """
        self.check()
        self._child.stop(signal.SIGINT)
        counts = {name: int(number) for number, name in _COUNTER.findall(self._child.said())}
        return CaptureReport(counts.get("captured", 0), counts.get("dropped by kernel", 0))
