"""The serial line of a board: reset, received lines with the host's time, sent lines.

On common boards (NodeMCU, D1 mini) DTR and RTS switch two transistors: RTS alone holds the chip in
reset, DTR alone selects the boot loader. Any address of pyserial works, including `rfc2217://` of a
remote server. That server must be esptool's, since over a network the two lines change one after
the other.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hil.base.errors import ToolMissing
from hil.rig.faults import Fault

BAUD = 921_600
ROM_BAUD = 74_880  # of the boot ROM, until the firmware sets its own rate
_RESET_S = 0.1
_READ_S = 0.05


@dataclass(frozen=True)
class Line:
    """A line that arrived at `arrived`, in s on the clock that the capture uses."""

    arrived: float
    text: bytes


def _open(address: str) -> Any:
    try:
        import serial  # noqa: PLC0415
    except ImportError as error:
        raise ToolMissing(
            "pyserial", "physical boards", "run 'setup/install setup/boards'"
        ) from error
    port = serial.serial_for_url(address, do_not_open=True, baudrate=BAUD, timeout=_READ_S)
    port.dtr = port.rts = False
    try:
        port.open()
    except (OSError, ValueError) as error:
        raise Fault("unplugged", f"{address}: {error}") from error
    return port


class Console:
    """An open serial line.

    Attributes:
        lost: why the line failed, or an empty text.
        octets: bytes received since it was last set to 0.

    `hear` is called with each received line, in a thread of its own.
    """

    def __init__(self, address: str, hear: Callable[[Line], None]) -> None:
        self._port = _open(address)
        self._hear, self._stopped = hear, False
        self.lost = ""
        self.octets = 0
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        rest = b""
        try:
            while not self._stopped:
                data = self._port.read(max(1, self._port.in_waiting))
                now = time.time()
                self.octets += len(data)
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    if text := line.strip(b"\r"):
                        self._hear(Line(now, text))
        except (
            OSError,
            TypeError,
            ValueError,
        ) as error:  # what pyserial raises when it loses the port
            if not self._stopped:
                self.lost = str(error) or type(error).__name__

    def reset(self) -> None:
        """Restart the firmware. Until it is configured its radio is off."""
        self._set(dtr=False, rts=True)
        time.sleep(_RESET_S)
        self._set(dtr=False, rts=False)
        # esptool's server generates its own pulse after it has read that RTS is off
        time.sleep(2 * _RESET_S)

    def listen_at(self, baud: int) -> None:
        """Change the rate of the line."""
        self._set(baudrate=baud)

    def _set(self, **settings: int) -> None:
        try:
            for name, value in settings.items():
                setattr(self._port, name, value)
        except (OSError, ValueError) as error:
            raise Fault("unplugged", str(error)) from error

    def send(self, text: str) -> None:
        """Send a line."""
        try:
            self._port.write(text.encode() + b"\n")
        except (OSError, ValueError) as error:
            raise Fault("unplugged", str(error)) from error

    def close(self) -> None:
        """Close the line; later output of the board is lost."""
        self._stopped = True
        self._thread.join(5)
        self._port.close()
