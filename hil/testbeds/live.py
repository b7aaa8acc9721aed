"""The testbed `live`: the same rig in namespaces of this host, on the wall clock. Needs root."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path

from hil.design import plan
from hil.errors import InputError
from hil.rig import rig
from hil.system import netns, scratch, tools
from hil.testbeds.base import Job, Result, Testbed


class LiveTestbed(Testbed):
    name = "live"

    def prepare(self) -> None:
        if os.geteuid() != 0:
            raise InputError(
                "--testbed", "live", "needs root (it makes network namespaces)",
                "use sudo, or the testbed 'virtual', which needs no rights",
            )  # fmt: skip
        tools.widen_path()
        for program in tools.PROGRAMS:
            tools.program(program)
        if not Path("/dev/net/tun").exists():
            raise InputError("/dev/net/tun", "", "is missing", "modprobe tun")

    def run(self, job: Job) -> Result:
        self.prepare()
        with scratch.folder(parent=scratch.plain_parent()) as place:
            laboratory = rig.Rig(f"tw{os.getpid()}", place / "rig")
            try:
                parameters = job.document["parameters"]
                laboratory.prepare([plan.server(parameters).name], parameters["link"])
                order = rig.Order(job.document, job.nonce, job.append, job.firmware)
                report = laboratory.try_run(order)
                found = rig.results(laboratory.folder, report)
                raw = {
                    name: content if isinstance(content, bytes) else content.read_bytes()
                    for name, content in found.items()
                }
            finally:
                laboratory.close()
        emulator = netns.run(["qemu-system-xtensa", "--version"]).splitlines()[0]
        versions = {"kernel": platform.release(), "qemu": emulator}
        return Result(raw, json.loads(raw.pop("report.json")), versions)
