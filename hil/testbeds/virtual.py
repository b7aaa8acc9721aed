"""The testbed `virtual`: the rig inside the time-warped machine. No root, no hardware, no KVM."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hil.lab import image, snapshot
from hil.testbeds.base import Job, Result, Testbed


class VirtualTestbed(Testbed):
    name = "virtual"

    def __init__(self) -> None:
        self._image: image.Image | None = None

    def prepare(self) -> None:
        self._image = image.build()
        snapshot.ensure(self._image)

    def run(self, job: Job) -> Result:
        if self._image is None:
            self.prepare()
        assert self._image is not None
        order = {"document": job.document, "nonce": job.nonce, "append": job.append}
        files = {
            "order.json": json.dumps(order, sort_keys=True).encode(),
            "firmware.elf": job.firmware.read_bytes(),
        }
        with tempfile.TemporaryDirectory(prefix="thinwire-") as scratch:
            raw = snapshot.run(self._image, files, Path(scratch), job.timeout_s)
        report = json.loads(raw.pop("report.json"))
        info = self._image.info()
        versions = {key: str(info[key]) for key in ("kernel", "qemu")}
        return Result(raw, report, versions | {"image": self._image.digest})
