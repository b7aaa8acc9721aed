"""The ESP8266's boot loader, driven by the program esptool."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from hil.base.errors import ToolMissing
from hil.rig.faults import Fault
from hil.system import tools

FLASH_S, MAC_S = 120.0, 30.0
_MAC = re.compile(r"MAC: +([0-9a-f]{2}(:[0-9a-f]{2}){5})")
# Keep the image's first bytes, so that its MD5 on the chip equals the file's.
_WRITE = ["write-flash", "--flash-mode", "keep", "--flash-freq", "keep", "--flash-size", "keep"]


def _run(address: str, words: list[str], timeout_s: float) -> str:
    """Run esptool; return its output.

    Raises:
        Fault: the boot loader does not answer, or the flash cannot be written.
    """
    program = tools.find("esptool")
    if program is None:
        raise ToolMissing("esptool", "flashing boards", "run 'setup/install setup/boards'")
    argv = [program, "--chip", "esp8266", "--port", address, "--connect-attempts", "3", *words]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=timeout_s)
    except subprocess.TimeoutExpired as error:
        raise Fault("flash failed", f"esptool took longer than {timeout_s:g} s") from error
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        why = next((line for line in lines if "fatal error" in line), lines[-1] if lines else "")
        name = "silent" if "Failed to connect" in why else "flash failed"
        raise Fault(name, why.strip())
    return done.stdout


def chip(address: str) -> str:
    """Return the chip's MAC address."""
    found = _MAC.search(_run(address, ["read-mac"], MAC_S))
    if not found:
        raise Fault("silent", "esptool read no MAC address")
    return found[1]


def flash(address: str, image: Path) -> str:
    """Write an image, which esptool verifies by its MD5; return the chip's MAC address."""
    output = _run(address, ["--baud", "460800", *_WRITE, "0x0", str(image)], FLASH_S)
    found = _MAC.search(output)
    if not found or "Hash of data verified" not in output:
        raise Fault("flash failed", "esptool did not verify what it wrote")
    return found[1]
