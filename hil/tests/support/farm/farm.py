"""The farm: labgrid's coordinator and exporter, and behind them boards without silicon."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest import mock

from hil.base.errors import LabError
from hil.base.paths import ROOT
from hil.design import addressing
from hil.rig.boards.emulators import CHIP_CLOCK
from hil.system import netns, preloads, processes
from hil.testbeds.hardware import places
from hil.tests.support.farm.board import PASSWORD, SSID
from hil.tests.support.ports import free_port

ELF = ROOT / "build" / "firmware" / "lx106" / "thinwire.elf"
BIN = Path(sys.executable).parent
HOST = ROOT / "setup" / "boards" / "host"
# As thinwire-cell@.service does.
UNSHARE = ["unshare", "--user", "--map-current-user", "--keep-caps", "--net"]


def stripped(folder: Path, elf: Path) -> Path:
    """The firmware without what only a debugger reads: a serial line is slow."""
    image = folder / "thinwire.bin"
    if not image.exists():
        subprocess.run(["xtensa-lx106-elf-strip", "-o", image, elf], check=True)
    return image


def as_user(user: int) -> list[str]:
    """The words before a command for it to run as somebody who may read all, and else nothing."""
    ids = [f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"]
    return [
        "setpriv",
        *ids,
        *(f"--{kind}-caps=-all,+dac_read_search" for kind in ("inh", "ambient")),
    ]


class Farm:
    """`boards` of them, named board1 and so on, each in a cell of its own, which belongs to the
    user `owner`. Trials run as that user, who may do nothing else but read."""

    def __init__(self, folder: Path, boards: int, owner: int = 0, elf: Path = ELF) -> None:
        self.folder = folder
        self.as_owner = as_user(owner) if owner else []
        self.names = [f"board{number + 1}" for number in range(boards)]
        self.ports = {name: free_port() for name in self.names}
        self.coordinator_port, self.plug_port = free_port(), free_port()
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.stations: dict[str, dict[str, dict[str, str]]] = {}  # resources, by board
        self.image = stripped(folder, elf)
        preloads.library(CHIP_CLOCK)

    def cell(self, name: str) -> str:
        return f"tw{os.getpid()}-{name}"

    def chip(self, name: str) -> str:
        return f"5c:cf:7f:00:01:{self.names.index(name) + 1:02x}"

    def _spawn(self, name: str, argv: list[str]) -> None:
        place = self.folder / name
        place.mkdir(exist_ok=True)
        with (place / "output").open("ab") as output:
            self.children[name] = subprocess.Popen(
                argv, cwd=place, stdout=output, stderr=output, start_new_session=True
            )

    def said(self, name: str) -> str:
        return (self.folder / name / "output").read_text(errors="replace")

    def start(self) -> None:
        for name in self.names:
            self._make_cell(name)
            (self.folder / name).mkdir()
            shutil.copy(self.image, self.folder / name / "image")
            self.start_board(name)
            self.wait(lambda name=name: "ready" in self.said(name), "no board")
            (self.folder / name / "image").unlink()
        argv = [sys.executable, "-m", "hil.tests.support.farm.plug"]
        argv += [str(self.plug_port), str(self.folder)]
        self._spawn("plug", argv)
        self.start_coordinator()
        self.start_exporter()
        for name in self.names:
            self._add_place(name)
        self.wait(lambda: all(place.address for place in places.every()), "no line is exported")

    @staticmethod
    def wait(ready, problem: str, timeout_s: float = 180.0) -> float:
        """Seconds until `ready`, which may raise a fault that passes."""
        begun = time.monotonic()

        def now() -> bool:
            with suppress(LabError):
                return bool(ready())
            return False

        while not now():
            assert time.monotonic() - begun < timeout_s, problem
            time.sleep(0.05)
        return time.monotonic() - begun

    def _make_cell(self, name: str) -> None:
        cell = self.cell(name)
        settings = self.folder / "cells" / cell / "hostapd.conf"
        settings.parent.mkdir(parents=True)
        settings.write_text(f"ssid={SSID}\nwpa_passphrase={PASSWORD}\nchannel=6\nhw_mode=g\n")
        self._spawn(f"cell-{name}", [*self.as_owner, *UNSHARE, str(HOST / "cell"), cell])
        pid = self.children[f"cell-{name}"].pid
        show = [
            "nsenter",
            f"--net=/proc/{pid}/ns/net",
            "ip",
            "link",
            "show",
            "up",
            addressing.WIRED,
        ]
        self.wait(lambda: addressing.WIRED in netns.run(show), "no cell", 20)
        netns.run([str(HOST / "attach"), cell, str(pid)])
        taps = ["tuntap add board0 mode tap", f"link set board0 master {addressing.WIRED} up"]
        netns.batch("ip", cell, taps)
        processes.call(lambda: netns.no_offload(addressing.WIRED), cell)

    def start_board(self, name: str) -> None:
        words = [str(self.ports[name]), self.chip(name), str(self.folder / name), self.cell(name)]
        self._spawn(name, [sys.executable, "-m", "hil.tests.support.farm.board", *words])

    def start_coordinator(self) -> None:
        listen = f"127.0.0.1:{self.coordinator_port}"
        self._spawn("coordinator", [str(BIN / "labgrid-coordinator"), "--listen", listen])
        os.environ["LG_COORDINATOR"] = listen
        self.wait(self._answers, "the coordinator does not answer")

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.coordinator_port)) == 0

    def start_exporter(self) -> None:
        plug = f"http://127.0.0.1:{self.plug_port}/relay/{{index}}/value"
        groups = {
            name: {
                "NetworkSerialPort": {"host": "127.0.0.1", "port": port, "speed": 921_600},
                "NetworkPowerPort": {"model": "rest", "host": plug, "index": number + 1},
                **self.stations.get(name, {}),
            }
            for number, (name, port) in enumerate(self.ports.items())
        }
        config = self.folder / "exporter.yaml"
        config.write_text(json.dumps(groups))  # JSON is YAML
        argv = [str(BIN / "labgrid-exporter"), "--name", "farm", "--coordinator"]
        self._spawn("exporter", [*argv, os.environ["LG_COORDINATOR"], str(config)])

    def _add_place(self, name: str) -> None:
        tags = [f"chip={self.chip(name)}", f"cell={self.cell(name)}", "wakes=gpio16-rst"]
        for words in (["create"], ["add-match", f"farm/{name}/*"], ["set-tags", *tags]):
            self._client(name, *words)

    @staticmethod
    def _client(name: str, *words: str) -> None:
        client = [str(BIN / "labgrid-client"), "-x", os.environ["LG_COORDINATOR"], "-p", name]
        subprocess.run([*client, *words], check=True, capture_output=True)

    def wire(self, name: str, wakes: bool) -> None:
        """Say of a board whether its GPIO16 is wired to RST."""
        self._client(name, "set-tags", "wakes=gpio16-rst" if wakes else "wakes=")

    def match(self, name: str, wanted: str) -> None:
        """A place has from now on all resources of its board (*), or those of one class."""
        for each in ("*", "NetworkSerialPort"):
            self._client(
                name, "add-match" if each == wanted else "del-match", f"farm/{name}/{each}"
            )

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        child = self.children.pop(name)
        child.send_signal(number)
        child.wait()

    def fault(self, name: str, what: str) -> None:
        (self.folder / name / "fault").write_text(what)

    def left(self) -> list[str]:
        """What trials left in the network: namespaces beside the cells, processes in these that
        are neither the cell nor its board, interfaces."""
        own = f"tw{os.getpid()}-"
        cells = {self.cell(name) for name in self.names}
        spaces = {line.split()[0] for line in netns.run(["ip", "netns", "list"]).splitlines()}
        found = [space for space in sorted(spaces - cells) if space.startswith(own)]
        for cell in sorted(cells):
            for pid in netns.run(["ip", "netns", "pids", cell]).split():
                with suppress(OSError):  # it has ended
                    comm = Path("/proc", pid, "comm").read_text().strip()
                    if comm not in ("qemu-system-xte", "sleep"):
                        found.append(f"{comm} in {cell}")
            links = netns.run(["ip", "-br", "link"], namespace=cell).splitlines()
            names = {line.split()[0] for line in links} - {"lo", addressing.WIRED, "board0"}
            found += [f"{name} in {cell}" for name in sorted(names)]
        return found

    def close(self) -> None:
        for name in list(self.children):
            self.kill(name, signal.SIGTERM if name in self.names else signal.SIGKILL)
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", self.cell(name)], check=False)


@contextmanager
def farm(folder: Path, boards: int, owner: int = 0, elf: Path = ELF) -> Iterator[Farm]:
    """A farm in a folder, where trials of this process and its children find its cells and leave
    their state."""
    own = {"XDG_STATE_HOME": str(folder / "state"), "THINWIRE_CELLS": str(folder / "cells")}
    with mock.patch.dict(os.environ, own):  # puts LG_COORDINATOR back, too
        made = Farm(folder, boards, owner, elf)
        try:
            made.start()
            yield made
        finally:
            made.close()
            shutil.rmtree(folder / "cells", ignore_errors=True)
