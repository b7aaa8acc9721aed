"""Several boards, which are the devices of one trial: each has a folder, a log, a port and a moment
at which it is switched on. A process of the emulator runs up to 250 of them; so its memory holds
their code once. A board that waits for a debugger has a process of its own.
"""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from hil.base.errors import LabError
from hil.design import addressing, fleet
from hil.peers.log import stamp_text
from hil.rig.boards import emulators
from hil.rig.boards.base import Board
from hil.rig.boards.lx106 import Lx106
from hil.rig.links.base import BoardPort
from hil.rig.request import TrialRequest
from hil.system import processes

# When each device was switched on, and the logs of all but the first.
LOG = "devices.jsonl"
# A board has 135 areas of memory on the host, where Linux allows a process 65530 (proc_sys_vm(5),
# max_map_count).
_TOGETHER = 250
# For the start of a board. All wait until the last of them is there.
_EACH_NS = 10_000_000
_OVERLAP_BYTES = 64
# A board that shares its process is named by its log.
_CLOCK = re.compile(r"^lx106: (?:(.+): )?the clock began at (\d+) ps$", re.MULTILINE)


def _event(name: str) -> bytes:
    return b'"ev":"%s"' % name.encode()


class _Device:
    """A board with its name, and how far its log was read. `over`: it has logged the end."""

    def __init__(self, name: str, board: Lx106) -> None:
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
        make: Callable[[Path, str], Lx106],
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
        for number, facts in enumerate(fleet.each_device(request.facts), 1):
            name = addressing.device_id(number)
            own = folder if number == 1 else folder / name
            own.mkdir(exist_ok=True)
            board = make(own, request.emulator)
            board.facts = facts
            self._devices.append(_Device(name, board))
        self._started_ns: list[int] = []  # since 1970
        self._children: list[processes.Child] = []

    def power_on(self, firmware: Path, config_line: str, port: BoardPort) -> None:
        """Start all boards; the first is at this port.

        Raises:
            LabError: they are not ready in time.
        """
        first_ns = time.monotonic_ns() + _EACH_NS * len(self._devices)
        since_1970_ns = time.time_ns() - time.monotonic_ns()
        together: list[tuple[Path, Sequence[str]]] = []
        delays_ns = fleet.starts_ns(self._request.facts, self._request.document["seed"])
        for device, line, place, delay_ns in zip(
            self._devices, config_line.split("\n"), [port, *self._further], delays_ns, strict=True
        ):
            board = device.board
            board.start_ns = first_ns + delay_ns
            self._started_ns.append(since_1970_ns + first_ns + delay_ns)
            if self.halt_ps is not None and board is self._devices[0].board:
                board.halt_ps = self.halt_ps
                board.power_on(firmware, line, place)
            else:
                together.append((board.log, board.command(firmware, line, place).argv))
        for begin in range(0, len(together), _TOGETHER):
            argv = emulators.together(together[begin : begin + _TOGETHER])
            output = self.folder / f"boards{len(self._children)}.out"
            self._children.append(processes.spawn(argv, port.namespace, output))
        if time.monotonic_ns() > first_ns:
            raise LabError(f"{len(self._devices)} boards did not start in time on this host")

    def problem(self) -> str:
        """Return why one of the boards stopped, or an empty text."""
        for device in self._devices:
            if event := device.failure():
                return f"the board {device.name} logged {event}"
        if fault := self._devices[0].board.problem():
            return f"the board {self._devices[0].name}: {fault}"
        for child in self._children:
            if not child.alive():
                return f"{child.name} died with status {child.status}: {child.last_words()}"
        if all(device.over for device in self._devices) and not self.log.exists():
            self.log.write_bytes(b"{%s}\n" % _event("end"))
        return ""

    def _clocks_us(self) -> dict[str, int]:
        """Return for each log when its board's clock was 0, in us after it was switched on, as the
        emulator states it. A board whose firmware has logged nothing is missing."""
        first = self._devices[0].board
        outputs = [*(child.output for child in self._children), first.folder / "board.out"]
        texts = [file.read_text(encoding="utf-8") for file in outputs if file.exists()]
        return {
            said[1] or str(first.log): int(said[2]) // 1_000_000
            for text in texts
            for said in _CLOCK.finditer(text)
        }

    def power_off(self) -> None:
        """Stop the boards, and write LOG."""
        self._devices[0].board.power_off()
        for child in self._children:
            child.stop(signal.SIGTERM)
        clocks = self._clocks_us()
        with (self.folder / LOG).open("w", encoding="utf-8") as file:
            for device, stamp in zip(self._devices, self._started_ns, strict=True):
                fields = {"nonce": self._request.nonce, "ev": "power_on", "device": device.name}
                text = json.dumps(fields, separators=(",", ":"))[1:-1]
                clock_us = clocks.get(str(device.board.log), 0)
                times = f'"at_s":{stamp_text(stamp)},"clock_us":{clock_us}'
                file.write(f'{{"t":0,{text},{times}}}\n')
            for device in self._devices[1:]:
                file.writelines(device.lines())
