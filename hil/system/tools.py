"""Where this machine keeps its programs: the one rule for all that look for one."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from hil.base.errors import ToolMissing
from hil.base.paths import ROOT

# Debian keeps servers and network tools here, and leaves them out of an ordinary user's PATH.
_SYSTEM = "/usr/local/sbin:/usr/sbin:/sbin"
# Program -> what it is for and the Debian package that has it.
PROGRAMS = {
    "ip": ("the networks inside", "iproute2"),
    "mosquitto": ("the MQTT broker", "mosquitto"),
    "openssl": ("DTLS before servers without it", "openssl"),
    "stunnel": ("TLS before servers without it", "stunnel4"),
    "tc": ("delay and loss of the link", "iproute2"),
    "tcpdump": ("the capture", "tcpdump"),
}
# The same for programs of some kinds of machine only.
SECOND_PEERS = {
    "coap-server-notls": ("libcoap's server", "libcoap3-bin"),
    "coap-server-openssl": ("libcoap's server with DTLS", "libcoap3-bin"),
    "iperf3": ("the background beside boards", "iperf3"),
    "qemu-system-xtensa": ("LX106 boards in QEMU", "qemu-system-misc"),
    "nginx": ("the cloud's door for HTTPS", "nginx"),
    "MQTT-SNGateway": ("the Paho MQTT-SN gateway", None),
}


def find(name: str) -> str | None:
    """The program `name` on PATH, or in the folders that PATH of ordinary users lacks."""
    return shutil.which(name) or shutil.which(name, path=_SYSTEM)


def program(name: str) -> Path:
    """The program `name` of this machine.

    Raises:
        ToolMissing: names the tool and the remedy.
    """
    path = find(name)
    if path is None:
        purpose, package = (PROGRAMS | SECOND_PEERS)[name]
        install = f"run 'make' or 'apt-get install {package}', or " if package else ""
        raise ToolMissing(name, purpose, f"{install}enter 'nix develop'")
    return Path(path)


def built(place: str) -> str | None:
    """A program of ours: as it was built at `place` below the folder build, or the image's own."""
    path = ROOT / "build" / place
    return str(path) if path.exists() else find(path.name)


def python() -> list[str]:
    """The words that start this Python anew, as it was started: inside the machine without site."""
    return [sys.executable, *(["-S"] if sys.flags.no_site else []), "-B"]


def widen_path() -> None:
    """Let this process and its children find by their names what lies beside this Python, before
    all others, and what `find` finds."""
    here = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([here, os.environ.get("PATH", os.defpath), _SYSTEM])


def r_environment() -> dict[str, str]:
    """Variables for R, which from 4.5 on refuses a temporary folder with a blank in its name."""
    blank = len(f"x{os.environ.get('TMPDIR', '')}x".split()) > 1
    return {**os.environ, "TMPDIR": "/tmp"} if blank else dict(os.environ)
