"""The testbed `virtual`: the rig inside the time-warped machine. No root, no hardware, no KVM."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hil.design import plan
from hil.machine import flavours, image, snapshot
from hil.testbeds.base import Job, Result, Testbed


class VirtualTestbed(Testbed):
    name = "virtual"

    def prepare(self) -> None:
        self._image(flavours.COMMON)

    def _image(self, flavour: flavours.Flavour) -> image.Image:
        """The image of a kind of machine, with its snapshot."""
        found = image.build(flavour)
        snapshot.ensure(found)
        return found

    def run(self, job: Job) -> Result:
        used = self._image(flavours.of(plan.server(job.document["parameters"])))
        order = {"document": job.document, "nonce": job.nonce, "append": job.append}
        files = {
            "order.json": json.dumps(order, sort_keys=True).encode(),
            "firmware.elf": job.firmware.read_bytes(),
        }
        with tempfile.TemporaryDirectory(prefix="thinwire-") as scratch:
            raw = snapshot.run(used, files, Path(scratch), job.timeout_s, job.progress)
        report = json.loads(raw.pop("report.json"))
        info = used.info()
        versions = {key: str(info[key]) for key in ("kernel", "qemu")}
        return Result(raw, report, versions | {"image": used.digest})
