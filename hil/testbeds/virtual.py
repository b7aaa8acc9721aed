"""The testbed `virtual`: the rig inside the time-warped machine. No root, no hardware, no KVM."""

from __future__ import annotations

import json

from hil.design import plan
from hil.machine import flavours, machines
from hil.system import scratch
from hil.testbeds.base import Job, Result, Testbed


class VirtualTestbed(Testbed):
    name = "virtual"

    def __init__(self, machine: str = "auto") -> None:
        self._machine = machines.choose(machine)
        # RabbitMQ starts by looking at the clock until time has passed. In `qemu` the start lies
        # before the snapshot; in `uml` each trial would begin with it.
        self._rabbitmq = machines.choose("qemu") if machine == "auto" else self._machine

    def prepare(self) -> None:
        self._machine.prepare(flavours.COMMON)

    def run(self, job: Job) -> Result:
        flavour = flavours.of(plan.server(job.document["parameters"]).name)
        machine = self._rabbitmq if flavour.rabbitmq else self._machine
        used = machine.prepare(flavour)
        order = {"document": job.document, "nonce": job.nonce, "append": job.append}
        files = {
            "order.json": json.dumps(order, sort_keys=True).encode(),
            "firmware.elf": job.firmware.read_bytes(),
        }
        with scratch.folder() as place:
            raw = machine.run(used, files, place, job.timeout_s, job.progress)
        report = json.loads(raw.pop("report.json"))
        return Result(raw, report, machine.versions(used))
