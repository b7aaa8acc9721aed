"""A foreign Linux program as the device, over the kernel's network stack, in a container.

Its file of the trial is its package (hil/machine/package.py). What it prints is kept as text; lines
that are JSON events of this project also go to the board's log. The program has an interface of its
own, with the board's addresses, which is up before it starts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hil.design import addressing
from hil.design.device import Device, values
from hil.rig.boards import printed
from hil.rig.boards.base import Board
from hil.rig.links.base import BoardPort, Plug
from hil.system import container

UID = 7701


class Program(Board):
    """See the module."""

    image = "program"
    made_by = "thinwire try FOLDER (docs/try-programs.md)"
    plug = Plug.INTERFACE
    ends_itself = False
    interface = addressing.LAPTOP
    network_admin = False
    _container: container.Container
    _reader: printed.Reader
    _problem = ""

    @classmethod
    def config(cls, document: dict[str, Any], nonce: str) -> str:
        """Return the command of the trial `document` (trial.json) with its placeholders replaced,
        and the trial's nonce, as JSON."""
        known = values(document, cls.interface) | {"nonce": nonce}
        device = Device.of(document["device"]).resolved(known)
        return json.dumps(device.document() | {"nonce": nonce})

    def install(self, firmware: Path, config_line: str) -> None:
        """Unpack the package."""
        nonce = json.loads(config_line)["nonce"]
        self._container = container.Container("device", self.folder, UID, self.log, nonce)
        self._container.fill(firmware, network=self.network_admin)
        self._reader = printed.Reader(self._container.output, self.log, nonce)

    def power_on(self, firmware: Path, config_line: str, port: BoardPort) -> None:
        """Start the program. Its log begins with the board's address, as the boards' of this
        project do once their network is up."""
        device = Device.of(json.loads(config_line))
        self._reader.note("boot")
        self._reader.note("up", ip=addressing.BOARD_IP)
        self._container.start(
            container.Command(
                device.argv,
                device.environment,
                port.namespace,
                self.network_admin,
                halted=self.halt_ps is not None,
            )
        )

    def problem(self) -> str:
        """Return why the program failed, or an empty text; take in what it has printed since."""
        self._reader.take()
        self._problem = self._problem or self._container.excess() or self._container.failure()
        return self._problem

    def power_off(self) -> None:
        """End the program, and keep what it printed."""
        self._container.stop()
        self._reader.take()
        self._reader.keep(self.folder / printed.BOARD_TEXT)
        self._container.close()

    def summary(self) -> dict[str, Any]:
        """Return how it ended, for lab.json."""
        return self._container.ended() or {}
