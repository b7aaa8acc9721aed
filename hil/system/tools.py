"""Where programs are found on this host: one rule for all that search for one."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from hil.base.errors import ToolMissing
from hil.base.paths import ROOT

# Debian installs servers and network tools here, outside an ordinary user's PATH.
_SYSTEM = "/usr/local/sbin:/usr/sbin:/sbin"
# Program -> its purpose and its Debian package.
PROGRAMS = {
    "dnsmasq": ("DHCP and DNS of a trial's network", "dnsmasq-base"),
    "ip": ("the networks of a trial", "iproute2"),
    "mosquitto": ("the MQTT broker", "mosquitto"),
    "openssl": ("DTLS in front of servers without it", "openssl"),
    "stunnel": ("TLS in front of servers without it", "stunnel4"),
    "tc": ("delay and loss of the link", "iproute2"),
    "tcpdump": ("the capture", "tcpdump"),
}
# The same for programs of some flavours only.
SECOND_PEERS = {
    "coap-server-notls": ("libcoap's server", "libcoap3-bin"),
    "coap-server-openssl": ("libcoap's server with DTLS", "libcoap3-bin"),
    "iperf3": ("the background beside boards", "iperf3"),
    "qemu-system-xtensa": ("LX106 boards in QEMU", "qemu-system-misc"),
    "nginx": ("HTTPS of the cloud", "nginx"),
    "MQTT-SNGateway": ("the Paho MQTT-SN gateway", None),
}


def find(name: str) -> str | None:
    """Find a program on PATH, or in the folders that an ordinary user's PATH lacks."""
    return shutil.which(name) or shutil.which(name, path=_SYSTEM)


def program(name: str) -> Path:
    """Return the path of a program of PROGRAMS or SECOND_PEERS.

    Raises:
        ToolMissing: it is not installed; names the remedy.
    """
    path = find(name)
    if path is None:
        purpose, package = (PROGRAMS | SECOND_PEERS)[name]
        install = f"run 'make' or 'apt-get install {package}', or " if package else ""
        raise ToolMissing(name, purpose, f"{install}enter 'nix develop'")
    return Path(path)


def built(name: str) -> str | None:
    """Return the path of a program of this project: build/`name`, or the copy in the image."""
    path = ROOT / "build" / name
    return str(path) if path.exists() else find(path.name)


def python() -> list[str]:
    """Return the command of this Python, with the same options (inside a machine without site)."""
    return [sys.executable, *(["-S"] if sys.flags.no_site else []), "-B"]


def widen_path() -> None:
    """Extend PATH so that this process and its children find the programs beside this Python first,
    and those that `find` finds."""
    here = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([here, os.environ.get("PATH", os.defpath), _SYSTEM])


def r_environment() -> dict[str, str]:
    """Return variables for R, which since 4.5 rejects a temporary folder with a blank in it."""
    blank = len(f"x{os.environ.get('TMPDIR', '')}x".split()) > 1
    return {**os.environ, "TMPDIR": "/tmp"} if blank else dict(os.environ)
