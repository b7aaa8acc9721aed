"""A client of QEMU's machine protocol (QMP): one command at a time over a connected socket."""

from __future__ import annotations

import calendar
import contextlib
import json
import socket
import time
from types import TracebackType
from typing import Any, Self

from hil.base.errors import LabError, TransientHostError


class Qmp:
    """A connection to a QEMU process. Use as a context manager.

    Attributes:
        shutdown: why QEMU ended, in its own words (guest-shutdown, host-signal, ...); empty until
            it has reported that.

    Raises (all methods):
        LabError: QEMU rejects a command.
        TransientHostError: it closes the connection, or does not answer in time.
    """

    def __init__(self, connection: socket.socket, timeout_s: float = 120.0) -> None:
        self.shutdown = ""
        self._socket = connection
        self._socket.settimeout(timeout_s)
        self._file = self._socket.makefile("rwb")
        greeting = self._receive()
        if "QMP" not in greeting:
            raise LabError(f"no QMP greeting but {greeting}")
        self.execute("qmp_capabilities")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        with contextlib.suppress(OSError):  # an unsent command to a QEMU that has ended
            self._file.close()
        self._socket.close()

    def _receive(self) -> dict[str, Any]:
        try:
            line = self._file.readline()
        except (OSError, ValueError) as error:
            raise TransientHostError(f"QEMU does not answer ({error})") from error
        if not line:
            raise TransientHostError("QEMU closed its control connection")
        try:
            message = json.loads(line)
        except json.JSONDecodeError as error:
            raise LabError(f"QEMU sent {line[:80]!r}, which is not JSON") from error
        if message.get("event") == "SHUTDOWN":
            self.shutdown = str(message["data"].get("reason", "unknown"))
        return dict(message)

    def execute(self, command: str, **arguments: Any) -> Any:
        """Run a command and return its answer; events that arrive before it are skipped."""
        request: dict[str, Any] = {"execute": command}
        if arguments:
            request["arguments"] = {key.replace("_", "-"): v for key, v in arguments.items()}
        try:
            self._file.write(json.dumps(request).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise TransientHostError(
                f"QEMU does not accept the command {command} ({error})"
            ) from error
        while True:
            message = self._receive()
            if "return" in message:
                return message["return"]
            if "error" in message:
                raise LabError(f"QEMU refuses {command}: {message['error'].get('desc')}")

    def read_out(self) -> None:
        """Read QEMU's last messages, for `shutdown`."""
        with contextlib.suppress(LabError):
            while True:
                self._receive()

    def status(self) -> str:
        """Return the run state: running, paused, inmigrate, guest-panicked, ..."""
        return str(self.execute("query-status")["status"])

    def clock_s(self) -> int:
        """Return the machine's real-time clock, in s of virtual time since 1970."""
        now = self.execute("qom-get", path="/machine", property="rtc-time")
        fields = ("tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec")
        year, month, *rest = (now[name] for name in fields)
        return calendar.timegm((1900 + year, 1 + month, *rest))

    def wait_until_not(self, state: str, timeout_s: float) -> str:
        """Poll until the run state is another one than `state`; return the new one."""
        deadline = time.monotonic() + timeout_s
        while (now := self.status()) == state:
            if time.monotonic() > deadline:
                raise LabError(f"QEMU stays in the state '{state}' for {timeout_s:g} s")
            time.sleep(0.003)
        return now
