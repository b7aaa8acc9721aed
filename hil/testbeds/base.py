"""The interface of a testbed: it runs a trial request and returns raw results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

from hil.base.errors import InputError
from hil.design import libraries
from hil.design.trials import Trial
from hil.rig.boards import BOARDS, emulators
from hil.rig.request import TrialReport, TrialRequest
from hil.system.progress import Progress, in_silence


@dataclass
class Result:
    """What a testbed returns.

    Attributes:
        raw: files by name, as far as the trial has them: wire.pcap, air.pcapng, monitor.pcap,
            board.jsonl, server.jsonl, emulators.COVERAGE.
        report: how the trial went.
        versions: of the tools that affect the result.
    """

    raw: dict[str, bytes]
    report: TrialReport
    versions: dict[str, str] = field(default_factory=dict)


def emulated(request: TrialRequest, emulator: str) -> tuple[TrialRequest, dict[str, str]]:
    """Return the request for a board in this emulator, and the emulator's entry among the versions.
    A request for a board that is not emulated is returned unchanged.

    Raises:
        ToolMissing: the emulator is not built.
    """
    if not BOARDS[request.document["firmware"]["board"]].emulated:
        return request, {}
    if request.facts.devices > 1 and emulator != emulators.DEFAULT:
        problem = "does not switch several devices on at stated times"
        raise InputError("--emulator", emulator, problem, f"use {emulators.DEFAULT}")
    emulators.need(emulator)
    return replace(request, emulator=emulator), {"emulator": emulator}


class Testbed(ABC):
    """Runs trials."""

    name: str

    def check(self, trial: Trial) -> None:
        """Check, before anything is built or started, that this testbed can run the trial.

        Raises:
            InputError: it lacks the board, or what a parameter asks for.
        """
        if trial.board == libraries.BOARD:
            remedy = "use --testbed hardware"
            raise InputError("--testbed", self.name, f"has no board {trial.board}", remedy)

    @abstractmethod
    def prepare(self) -> None:
        """Get ready, which may take a while the first time.

        Raises:
            InputError: something this testbed needs is missing.
        """

    @abstractmethod
    def run(
        self, request: TrialRequest, timeout_s: float, progress: Progress = in_silence
    ) -> Result:
        """Run a trial.

        Args:
            timeout_s: wall time after which the trial is aborted.
            progress: called now and then with the seconds elapsed on the trial's clock.

        Raises:
            LabError: the testbed failed; a failure of the trial is in the report instead.
            TransientHostError: the host made it fail.
            InputError: something this testbed needs is missing.
        """
