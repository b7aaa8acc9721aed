"""A background station without a radio: a namespace on the cell's bridge, with a real sshd."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hil.design import addressing
from hil.system import netns

SSHD = "/usr/sbin/sshd"  # it wants to be called by its whole path


class FakeStation:
    """The one of this `number` in `cell`, which knows the cell's key."""

    def __init__(self, cell: str, number: int, folder: Path) -> None:
        self.address, self.space = f"10.77.2.{number}", f"{cell}-s{number}"
        self._cell, self._port, self._folder = cell, f"station{number}", folder
        self._sshd: subprocess.Popen[bytes] | None = None

    @property
    def resource(self) -> dict[str, str]:
        return {"cls": "NetworkService", "address": self.address, "username": "root"}

    def start(self, cells: Path) -> None:
        self._folder.mkdir()
        netns.run(["ip", "netns", "add", self.space])
        netns.batch("ip", self._cell, [
            f"link add {self._port} type veth peer name wlan0 netns {self.space}",
            f"link set {self._port} master {addressing.WIRED} up",
        ])  # fmt: skip
        address = f"address add {self.address}/{addressing.NETWORK_BITS} dev wlan0"
        netns.batch("ip", self.space, ["link set lo up", address, "link set wlan0 up"])
        key, host = cells / self._cell / "id_ed25519", self._folder / "host"
        for file in (key, host):
            if not file.exists():
                netns.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)])
        Path("/run/sshd").mkdir(exist_ok=True)
        words = {
            "HostKey": host, "AuthorizedKeysFile": f"{key}.pub", "PidFile": "none",
            "StrictModes": "no", "PermitRootLogin": "yes", "ListenAddress": self.address,
        }  # fmt: skip
        options = [f"-o{name}={value}" for name, value in words.items()]
        command = ["ip", "netns", "exec", self.space, SSHD, "-D", "-e", "-f", "/dev/null"]
        with (self._folder / "output").open("wb") as output:
            self._sshd = subprocess.Popen([*command, *options], stdout=output, stderr=output)

    def pids(self) -> list[int]:
        said = netns.run(["ip", "netns", "pids", self.space])
        return [int(pid) for pid in said.split()]

    def programs(self) -> list[str]:
        """What it runs beside sshd's waiting for connections."""
        assert self._sshd is not None
        found = []
        for pid in set(self.pids()) - {self._sshd.pid}:
            try:
                found.append(Path("/proc", str(pid), "comm").read_text().strip())
            except OSError:
                continue
        return found

    def die(self) -> None:
        """End all that it runs."""
        for pid in self.pids():
            subprocess.run(["kill", "-9", str(pid)], check=False, stderr=subprocess.DEVNULL)
        if self._sshd is not None:
            self._sshd.wait()

    def close(self) -> None:
        self.die()
        netns.run(["ip", "netns", "delete", self.space])
