"""The testbed `virtual`: the rig inside the time-warped machine. No root, no hardware, no KVM."""

from __future__ import annotations

import json

from hil.design import plan
from hil.machine import flavours, image, snapshot
from hil.system import scratch
from hil.testbeds.base import Job, Result, Testbed


class VirtualTestbed(Testbed):
    name = "virtual"

    def prepare(self) -> None:
        self._image(flavours.COMMON)

    def _image(self, flavour: flavours.Flavour) -> tuple[image.Image, str]:
        """The image of a kind of machine, and the digest of its snapshot."""
        found = image.build(flavour)
        return found, snapshot.ensure(found)

    def run(self, job: Job) -> Result:
        used, frozen = self._image(flavours.of(plan.server(job.document["parameters"]).name))
        order = {"document": job.document, "nonce": job.nonce, "append": job.append}
        files = {
            "order.json": json.dumps(order, sort_keys=True).encode(),
            "firmware.elf": job.firmware.read_bytes(),
        }
        with scratch.folder() as place:
            raw = snapshot.run(used, files, place, job.timeout_s, job.progress)
        report = json.loads(raw.pop("report.json"))
        info = used.info()
        versions = {key: str(info[key]) for key in ("kernel", "qemu")}
        return Result(raw, report, versions | {"image": used.digest, "snapshot": frozen})
