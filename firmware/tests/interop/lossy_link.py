"""Two network namespaces joined by a link that delays, loses, doubles and reorders packets.

Each end is a TUN device; a thread of this process carries the packets between them. The losses come
from a seed. It needs root and /dev/net/tun, and no kernel module but tun.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

_TUNSETIFF = 0x400454CA
_IFF_TUN_NO_PI = 0x0001 | 0x1000
_PACKET_BYTES = 2048
_PCAP_HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, _PACKET_BYTES, 101)  # raw IP

DEVICE_ADDRESS = "10.77.0.1"
SERVER_ADDRESS = "10.77.0.2"
# Where a device serves that has an address of its own behind the link's end.
SERVED_ADDRESS = os.environ.get("INTEROP_SERVED", DEVICE_ADDRESS)


def private_namespaces() -> None:
    """Run this program again as the first process of its own namespaces: when it ends, however it
    ends, the kernel ends every process that it started, and all their networks are gone."""
    if os.getpid() != 1:
        flags = ["--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--net"]
        os.execvp("unshare", ["unshare", *flags, sys.executable, *sys.argv])
    Path("/run/netns").mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run/netns"], check=True)


def _ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, capture_output=True)


def _tun(namespace: str, name: str, address: str, peer: str) -> int:
    """Create a TUN device in `namespace`; return its file descriptor."""
    fd = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(fd, _TUNSETIFF, struct.pack("16sH", name.encode(), _IFF_TUN_NO_PI))
    os.set_blocking(fd, False)
    _ip("link", "set", name, "netns", namespace)
    _ip("-n", namespace, "addr", "add", address, "peer", peer, "dev", name)
    _ip("-n", namespace, "link", "set", name, "txqueuelen", "10000", "up")
    _ip("-n", namespace, "route", "add", "default", "dev", name)  # broadcasts, too
    _ip("-n", namespace, "link", "set", "lo", "up")
    return fd


@dataclass
class LossyLink:
    """Context manager: while it is open, both namespaces exist and packets flow."""

    loss: float  # probability for each packet, each way
    duplication: float = 0.0  # likewise
    reordering: float = 0.0  # likewise: held back by `hold_s`, so that later packets pass it
    delay_s: float = 0.001
    hold_s: float = 0.01
    seed: int = 1
    pcap: Path | None = None  # records what the ends sent, before any loss
    device: str = field(default_factory=lambda: f"twi-dev-{os.getpid()}", init=False)
    server: str = field(default_factory=lambda: f"twi-srv-{os.getpid()}", init=False)
    lost: int = field(default=0, init=False)
    carried: int = field(default=0, init=False)

    def __enter__(self) -> LossyLink:
        for namespace in (self.device, self.server):
            _ip("netns", "add", namespace)
        self._fds = [
            _tun(self.device, f"twd{os.getpid()}", DEVICE_ADDRESS, SERVER_ADDRESS),
            _tun(self.server, f"tws{os.getpid()}", SERVER_ADDRESS, DEVICE_ADDRESS),
        ]
        self._stopped = False
        self._file = self.pcap.open("wb") if self.pcap else None
        if self._file:
            self._file.write(_PCAP_HEADER)
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped = True
        self._thread.join()
        if self._file:
            self._file.close()
        for fd in self._fds:
            os.close(fd)
        for namespace in (self.device, self.server):
            _ip("netns", "delete", namespace, check=False)

    def _carry(self) -> None:
        dice = random.Random(self.seed)
        queue: list[tuple[float, int, int, bytes]] = []  # due, order, target, packet
        order = 0
        while not self._stopped:
            timeout = max(0.0, queue[0][0] - time.monotonic()) if queue else 0.1
            readable, _, _ = select.select(self._fds, [], [], min(timeout, 0.1))
            for fd in readable:
                packet = os.read(fd, _PACKET_BYTES)
                self.carried += 1
                self._record(packet)
                if dice.random() < self.loss:
                    self.lost += 1
                    continue
                copies = 2 if dice.random() < self.duplication else 1
                for _ in range(copies):
                    order += 1
                    target = self._fds[1 - self._fds.index(fd)]
                    held_s = self.hold_s if dice.random() < self.reordering else 0.0
                    due = time.monotonic() + self.delay_s + held_s
                    heapq.heappush(queue, (due, order, target, packet))
            while queue and queue[0][0] <= time.monotonic():
                os.write(queue[0][2], heapq.heappop(queue)[3])

    def _record(self, packet: bytes) -> None:
        if self._file:
            seconds, fraction = divmod(time.monotonic_ns(), 1_000_000_000)
            size = len(packet)
            self._file.write(struct.pack("<IIII", seconds, fraction // 1000, size, size) + packet)

    def command(self, namespace: str, words: list[str]) -> list[str]:
        """Return the command that runs `words` inside `namespace`."""
        return ["ip", "netns", "exec", namespace, *words]
