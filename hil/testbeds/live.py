"""The testbed `live`: the rig in namespaces of this host, on the wall clock. It needs root."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from hil.base.errors import InputError
from hil.rig.boards import emulators
from hil.rig.request import REPORT, TrialReport, TrialRequest
from hil.rig.results import results
from hil.rig.rig import Rig
from hil.system import netns, scratch, tools
from hil.system.progress import Progress, in_silence
from hil.testbeds.base import Result, Testbed, emulated


class LiveTestbed(Testbed):
    name = "live"

    def __init__(self, emulator: str = emulators.DEFAULT) -> None:
        self._emulator = emulator

    def prepare(self) -> None:
        if os.geteuid() != 0:
            raise InputError(
                "--testbed",
                "live",
                "needs root to create network namespaces",
                "use sudo, or the testbed 'virtual', which needs no privileges",
            )
        tools.widen_path()
        for program in tools.PROGRAMS:
            tools.program(program)
        if not Path("/dev/net/tun").exists():
            raise InputError("/dev/net/tun", "", "is missing", "modprobe tun")

    def run(
        self, request: TrialRequest, timeout_s: float, progress: Progress = in_silence
    ) -> Result:
        self.prepare()
        request, emulator = emulated(request, self._emulator)
        with scratch.folder(parent=scratch.plain_parent()) as folder:
            rig = Rig(f"tw{os.getpid()}", folder / "rig")
            rig.progress = progress
            try:
                rig.prepare(request.facts.by_server, request.facts.link)
                report = rig.try_run(request)
                files = results(rig.folder, report)
                raw = {
                    name: content if isinstance(content, bytes) else content.read_bytes()
                    for name, content in files.items()
                }
            finally:
                rig.close()
        versions = {"kernel": platform.release()} | emulator
        if request.emulator == "qemu":
            version = netns.run([emulators.PROGRAMS["qemu"], "--version"])
            versions["qemu"] = version.splitlines()[0]
        return Result(raw, TrialReport.of(raw.pop(REPORT)), versions)
