"""The testbed `virtual`: the rig inside the time-warped machine. No root, no hardware, no KVM."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from hil.machine import flavours, machines
from hil.machine.job import Job
from hil.rig.boards import emulators
from hil.rig.request import REPORT, TrialReport, TrialRequest
from hil.system import scratch
from hil.system.progress import Progress, in_silence
from hil.testbeds.base import Result, Testbed, emulated

# Memory of a machine with many boards: a further board uses 0.5 MiB. The usual machine has room for
# 450.
_LAB_MIB, _BOARD_MIB = 62, 1


def memory_mib(boards: int) -> int:
    """Return the memory that a machine with so many boards needs, MiB."""
    return _LAB_MIB + _BOARD_MIB * boards


class VirtualTestbed(Testbed):
    name = "virtual"

    def __init__(
        self,
        machine: str = "auto",
        emulator: str = emulators.DEFAULT,
        beside: Callable[[int], AbstractContextManager[None]] | None = None,
    ) -> None:
        """`beside`: see Job."""
        self._emulator, self._beside = emulator, beside
        self._machine = machines.choose(machine)

    def prepare(self, flavour: flavours.Flavour = flavours.COMMON) -> None:
        self._machine.prepare(flavour)

    def run(
        self, request: TrialRequest, timeout_s: float, progress: Progress = in_silence
    ) -> Result:
        request, versions = emulated(request, self._emulator)
        flavour = flavours.of(request.facts.server.name, versions.get("emulator", ""))
        files = request.files()
        self._machine.check(files)
        image = self._machine.prepare(flavour)
        with scratch.folder() as folder:
            least_mib = memory_mib(request.facts.devices)
            job = Job(files, folder, timeout_s, progress, self._beside, least_mib)
            raw = self._machine.run(image, job)
        versions |= self._machine.versions(image)
        if request.packaged:
            versions["processor"] = self._machine.processor()
        return Result(raw, TrialReport.of(raw.pop(REPORT)), versions)
