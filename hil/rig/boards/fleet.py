"""Several boards, which are the devices of one trial: each has a folder, a log, a port and a moment
at which it is switched on."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from hil.base.errors import LabError
from hil.design import addressing, fleet
from hil.peers.log import stamp_text
from hil.rig.boards.base import Board
from hil.rig.links.base import BoardPort
from hil.rig.request import TrialRequest

# When each device was switched on, and the logs of all but the first.
LOG = "devices.jsonl"
# For the start of a board's process. All wait until the last of them is there.
_EACH_NS = 10_000_000
_OVERLAP_BYTES = 64
_CLOCK = re.compile(r"^lx106: the clock began at (\d+) ps$", re.MULTILINE)


def _event(name: str) -> bytes:
    return b'"ev":"%s"' % name.encode()


class _Device:
    """A board with its name, and how far its log was read. `over`: it has logged the end."""

    def __init__(self, name: str, board: Board) -> None:
        self.name, self.board = name, board
        self._seen, self.over = 0, False

    def failure(self) -> str:
        """Read what is new in its log; return the event by which it failed, or an empty text."""
        log = self.board.log
        if self.over or not log.exists() or log.stat().st_size <= self._seen:
            return ""
        with log.open("rb") as file:
            file.seek(max(0, self._seen - _OVERLAP_BYTES))
            news = file.read()
            self._seen = file.tell()
        self.over = _event("end") in news
        return next((name for name in ("crash", "config_error") if _event(name) in news), "")

    def clock_us(self) -> int:
        """Return when its clock was 0, in us after it was switched on, as the emulator states it; 0
        if the firmware has logged nothing."""
        said = _CLOCK.search((self.board.folder / "board.out").read_text(encoding="utf-8"))
        return int(said[1]) // 1_000_000 if said else 0

    def lines(self) -> list[str]:
        """Return the lines of its log with its name; the last one is left out if it is cut."""
        log = self.board.log
        text = log.read_text(encoding="utf-8") if log.exists() else ""
        whole = text[: text.rfind("\n") + 1].splitlines()
        return [f'{{"device":"{self.name}",{line.removeprefix("{")}\n' for line in whole]


class Fleet(Board):
    """See the module. To the rig it is one board, whose log has one line, `end`, once all boards
    have logged theirs."""

    def __init__(
        self,
        make: Callable[[Path, str], Board],
        folder: Path,
        request: TrialRequest,
        ports: Iterable[BoardPort],
    ) -> None:
        """Create the boards.

        Args:
            make: creates one with its files in a folder.
            ports: of the devices but the first.
        """
        super().__init__(folder, request.emulator)
        self.log = folder / "fleet.jsonl"
        self._request, self._further = request, list(ports)
        self._devices = []
        for number in range(1, request.facts.devices + 1):
            name = addressing.device_id(number)
            own = folder if number == 1 else folder / name
            own.mkdir(exist_ok=True)
            self._devices.append(_Device(name, make(own, request.emulator)))
        self._started_ns: list[int] = []  # since 1970

    def power_on(self, firmware: Path, config_line: str, port: BoardPort) -> None:
        """Start all boards; the first is at this port.

        Raises:
            LabError: they are not ready in time.
        """
        first_ns = time.monotonic_ns() + _EACH_NS * len(self._devices)
        since_1970_ns = time.time_ns() - time.monotonic_ns()
        self._devices[0].board.halt_ps = self.halt_ps
        delays_ns = fleet.starts_ns(self._request.facts, self._request.document["seed"])
        for device, line, place, delay_ns in zip(
            self._devices, config_line.split("\n"), [port, *self._further], delays_ns, strict=True
        ):
            device.board.start_ns = first_ns + delay_ns  # type: ignore[attr-defined]
            self._started_ns.append(since_1970_ns + first_ns + delay_ns)
            device.board.power_on(firmware, line, place)
        if time.monotonic_ns() > first_ns:
            raise LabError(f"{len(self._devices)} boards did not start in time on this host")

    def problem(self) -> str:
        """Return why one of the boards stopped, or an empty text."""
        for device in self._devices:
            if event := device.failure():
                return f"the board {device.name} logged {event}"
            if fault := device.board.problem():
                return f"the board {device.name}: {fault}"
        if all(device.over for device in self._devices) and not self.log.exists():
            self.log.write_bytes(b"{%s}\n" % _event("end"))
        return ""

    def power_off(self) -> None:
        """Stop the boards, and write LOG."""
        for device in self._devices:
            device.board.power_off()
        with (self.folder / LOG).open("w", encoding="utf-8") as file:
            for device, stamp in zip(self._devices, self._started_ns, strict=True):
                fields = {"nonce": self._request.nonce, "ev": "power_on", "device": device.name}
                text = json.dumps(fields, separators=(",", ":"))[1:-1]
                times = f'"at_s":{stamp_text(stamp)},"clock_us":{device.clock_us()}'
                file.write(f'{{"t":0,{text},{times}}}\n')
            for device in self._devices[1:]:
                file.writelines(device.lines())
