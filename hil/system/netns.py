"""The network namespaces of one rig, a wired and a radio side, and commands to set them up."""

from __future__ import annotations

import array
import fcntl
import socket
import struct
import subprocess
from collections.abc import Iterable
from pathlib import Path

from hil.base.errors import LabError
from hil.system import processes

_SIOCETHTOOL = 0x8946
# ETHTOOL_S{RX,TX}CSUM, _SSG, _STSO, _SGSO, _SGRO (linux/ethtool.h)
_OFFLOADS = (0x15, 0x17, 0x19, 0x1F, 0x24, 0x2C)


def run(argv: list[str], text: str = "", namespace: str = "") -> str:
    """Run a program with `text` as input, in a namespace if one is named; return its output.

    Raises:
        LabError: it fails, with its message; or this user may not enter the namespace.
    """

    def enter() -> None:
        processes.enter_namespace(namespace)

    try:
        done = subprocess.run(
            argv, input=text, capture_output=True, text=True, check=False,
            preexec_fn=enter if namespace else None,
        )  # fmt: skip
    except subprocess.SubprocessError as error:
        raise LabError(f"this user may not enter the network namespace {namespace}") from error
    if done.returncode != 0:
        raise LabError(f"{' '.join(argv)} fails: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def batch(program: str, namespace: str, lines: Iterable[str]) -> None:
    """Run several commands of `ip` or `tc` in a namespace with one process."""
    run([program, "-n", namespace, "-batch", "-"], "\n".join(lines) + "\n")


def no_offload(interface: str) -> None:
    """Disable the offloads of an interface in this process's namespace.

    Otherwise the capture contains frames larger than the MTU and checksums not yet computed.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for command in _OFFLOADS:
            value = array.array("B", struct.pack("II", command, 0))
            request = struct.pack("16sP", interface.encode(), value.buffer_info()[0])
            try:
                fcntl.ioctl(control, _SIOCETHTOOL, request)
            except OSError:  # this kind of interface lacks this offload
                continue


def _no_ipv6() -> None:
    for scope in ("all", "default"):
        switch = Path("/proc/sys/net/ipv6/conf", scope, "disable_ipv6")
        if switch.exists():
            switch.write_text("1")


class Namespaces:
    """The two sides of a rig named `name`. `close` removes both with their contents."""

    def __init__(self, name: str) -> None:
        self.wired = f"{name}-wired"
        self.radio = f"{name}-radio"

    def create(self) -> None:
        """Create both, without IPv6, whose housekeeping frames belong to no study."""
        batch_lines = [f"netns add {side}" for side in (self.wired, self.radio)]
        run(["ip", "-batch", "-"], "\n".join(batch_lines) + "\n")
        for side in (self.wired, self.radio):
            processes.call(_no_ipv6, side)
            batch("ip", side, ["link set lo up"])

    def close(self) -> None:
        """Remove both namespaces, as far as they exist."""
        for side in (self.wired, self.radio):
            subprocess.run(["ip", "netns", "delete", side], capture_output=True, check=False)
