"""What a testbed is: it carries out an order and returns raw results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

from hil.rig.boards import BOARDS, emulators
from hil.rig.request import TrialReport, TrialRequest
from hil.system.progress import Progress, in_silence


@dataclass
class Result:
    """What a testbed hands back.

    Attributes:
        raw: files by name: wire.pcap, air.pcapng, monitor.pcap, board.jsonl, server.jsonl (what
            there is).
        report: how it went.
        versions: of the tools that decide the result.
    """

    raw: dict[str, bytes]
    report: TrialReport
    versions: dict[str, str] = field(default_factory=dict)


def emulated(request: TrialRequest, emulator: str) -> tuple[TrialRequest, dict[str, str]]:
    """The order for a board in this emulator, and what to say of it among the versions; an order
    for a board that is not emulated is as it was.

    Raises:
        ToolMissing: the emulator is not built.
    """
    if not BOARDS[request.document["firmware"]["board"]].emulator:
        return request, {}
    emulators.need(emulator)
    return replace(request, emulator=emulator), {"emulator": emulator}


class Testbed(ABC):
    """A place where trials run."""

    name: str

    @abstractmethod
    def prepare(self) -> None:
        """Get ready, which may take a while the first time.

        Raises:
            InputError: something this testbed needs is not there.
        """

    @abstractmethod
    def run(
        self, request: TrialRequest, timeout_s: float, progress: Progress = in_silence
    ) -> Result:
        """Carry out a trial.

        Args:
            timeout_s: wall time after which it is given up.
            progress: told the seconds gone on the trial's clock, now and then.

        Raises:
            LabError: the testbed failed (not the trial: that is in the report).
            TransientHostError: the host made it fail.
            InputError: something this testbed needs is not there.
        """
