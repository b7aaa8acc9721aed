"""A foreign program as the server of a trial, in a container on the wired side.

It is ready when it listens on the trial's port. What it prints is kept as text. Beside a broker of
MQTT a recorder subscribes to all topics and logs what the broker passes on, as beside the
laboratory's own broker. A broker that refuses the recorder has no log.
"""

from __future__ import annotations

import functools
import signal
from pathlib import Path
from typing import Any

from hil.base.errors import TrialError
from hil.design import addressing
from hil.design.device import Device, values
from hil.design.facts import Facts
from hil.peers import base
from hil.peers.mqtt import recorder
from hil.system import container, processes

TEXT = "server.out.txt"
UID = 7702
_READY_S = 5.0  # of the recorder


class ProgramServer(base.Server):
    """See the module. It starts when the trial brings its package (`equip`)."""

    name = "program"
    _container: container.Container | None = None
    _command: container.Command
    _facts: Facts
    _recorder: processes.Child | None = None

    def start(self) -> None:
        if self._container is None:
            return
        child = self._container.start(self._command)
        self.children.append(child)
        try:
            base.wait_bound(child, self._facts.row.transport, self._facts.port)
        except TrialError as error:
            port, said = self._facts.port, self._container.last_words()
            why = self._container.failure() or f"it does not listen on port {port}: {said}"
            raise TrialError(f"the server is not ready: {why}") from error

    def equip(self, document: dict[str, Any], package: Path | None) -> None:
        """Unpack and start the program of a trial."""
        if package is None:
            raise TrialError("the trial has no package of its server")
        facts = Facts.of(document["parameters"])
        own = {"ip": addressing.SERVER_IP, "mac": addressing.SERVER_MAC}
        known = values(document, addressing.WIRED) | own
        device = Device.of(document["server"]).resolved(known)
        events = self.folder / "program.events"
        self._container = container.Container("server", self.folder, UID, events, "")
        self._container.fill(package)
        self._facts = facts
        self._command = container.Command(device.argv, device.environment, self.namespace)
        self.start()
        if facts.protocol in {"mqtt", "mqtt5"} and facts.role == "publish":
            self._record()

    def _record(self) -> None:
        """Start the recorder; a broker that refuses it is left alone."""
        ready = self.folder / f"{self.name}.ready"
        child = processes.fork(
            "the recorder",
            functools.partial(
                recorder.observe, self.name, addressing.SERVER_IP, self._facts.port, self.log, ready
            ),
            self.namespace,
            self.folder / f"{self.name}.recorder.out",
        )
        try:
            child.wait_for(ready.exists, _READY_S)
        except TrialError:
            child.stop(signal.SIGKILL)
            return
        self._recorder = child

    def make_durable(self) -> None:
        """Its files stay across a restart; whether it keeps messages is its own business."""
        return

    def problem(self) -> str:
        if self._container is None:
            return ""
        return self._container.excess() or self._container.failure()

    def stop(self) -> None:
        """End the program, and keep what it printed."""
        if self._container is None:
            return
        if self._recorder is not None:
            self._recorder.finish()
            self._recorder = None
        self._container.stop()
        text = self._container.output.read_bytes().decode("utf-8", errors="replace")
        (self.folder / TEXT).write_bytes(text.encode("utf-8"))

    def halt(self) -> None:
        """Stop the program for a restart."""
        self._end(signal.SIGTERM)

    def _end(self, number: int) -> None:
        self.children.clear()
        if self._container is not None:
            self._container.stop(number)
            self._container.forget()

    def crash(self) -> None:
        """Kill the program with its container."""
        self._end(signal.SIGKILL)

    def kill(self) -> None:
        super().kill()
        if self._recorder is not None:
            self._recorder.stop(signal.SIGKILL)
        if self._container is not None:
            self._container.close()
