"""The testbed `virtual`: the rig inside the time-warped machine. No root, no hardware, no KVM."""

from __future__ import annotations

from hil.design.facts import Facts
from hil.machine import flavours, machines
from hil.rig.boards import emulators
from hil.rig.request import REPORT, TrialReport, TrialRequest
from hil.system import scratch
from hil.system.progress import Progress, in_silence
from hil.testbeds.base import Result, Testbed, emulated


class VirtualTestbed(Testbed):
    name = "virtual"

    def __init__(self, machine: str = "auto", emulator: str = emulators.DEFAULT) -> None:
        self._emulator = emulator
        self._machine = machines.choose(machine)
        # RabbitMQ starts by looking at the clock until time has passed. In `qemu` the start lies
        # before the snapshot; in `uml` each trial begins with it. Only there does a handshake of
        # TLS take the time of the chip: a trial that has one pays for the start.
        self._rabbitmq = machines.choose("qemu") if machine == "auto" else self._machine

    def prepare(self, flavour: flavours.Flavour = flavours.COMMON) -> None:
        self._usual(flavour).prepare(flavour)

    def _usual(self, flavour: flavours.Flavour) -> machines.Machine:
        """Where trials with these servers run, unless they are secured."""
        return self._rabbitmq if flavour.rabbitmq else self._machine

    def machine_of(self, facts: Facts) -> machines.Machine:
        """The machine that a trial with these parameters runs in."""
        if facts.secured:
            return self._machine
        return self._usual(flavours.of(facts.server.name))

    def run(
        self, request: TrialRequest, timeout_s: float, progress: Progress = in_silence
    ) -> Result:
        request, told = emulated(request, self._emulator)
        flavour = flavours.of(request.facts.server.name, told.get("emulator", ""))
        machine = self.machine_of(request.facts)
        used = machine.prepare(flavour)
        with scratch.folder() as place:
            raw = machine.run(used, request.files(), place, timeout_s, progress)
        return Result(raw, TrialReport.of(raw.pop(REPORT)), machine.versions(used) | told)
