"""Does a trial in a real cell keep the frames of its device from a monitor interface, and nothing
else?
"""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil.bundle import pcapng, store
from hil.design import addressing
from hil.design.facts import Facts
from hil.rig import capture
from hil.rig.links import occupancy, wifi
from hil.system import netns, userns

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(os.geteuid() != 0, reason="makes a network namespace"),
]

_TUNSETIFF, _TUNSETLINK = 0x400454CA, 0x400454CD
_IFF_TUN, _ARPHRD_RADIOTAP = 1, 803
_RADIOTAP = bytes.fromhex("0000080000000000")
_TO_AP, _EAPOL, _IPV4 = b"\x88\x01", 0x888E, 0x0800
_AP, _OTHER = b"\x02\x00\x00\x00\x00\x01", b"\x02\x00\x00\x00\x00\x09"


def frame(sender: bytes, kind: int) -> bytes:
    """A QoS data frame to the access point, unprotected, with LLC and SNAP."""
    addresses = _AP + sender + _AP
    llc = b"\xaa\xaa\x03\x00\x00\x00" + struct.pack(">H", kind)
    return _RADIOTAP + _TO_AP + bytes(2) + addresses + bytes(4) + llc + b"x" * 20


@pytest.fixture
def cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A cell without a radio."""
    name = f"tw{os.getpid()}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "hostapd.conf").write_text("ssid=x\nwpa_passphrase=secret-enough\n")
    monkeypatch.setattr(wifi, "CELLS", tmp_path)
    monkeypatch.setattr(occupancy, "LISTEN_S", 0.1)
    netns.run(["ip", "netns", "add", name])
    netns.run(["ip", "link", "add", addressing.WIRED, "type", "bridge"], namespace=name)
    yield name
    netns.run(["ip", "netns", "delete", name])


def monitor(cell: str) -> int:
    """An interface of the cell whose frames begin with radiotap, as those of an adapter in monitor
    mode; what is written to the descriptor is heard there."""
    with Path("/proc/self/ns/net").open("rb") as home, Path("/run/netns", cell).open("rb") as there:
        userns.enter(there.fileno())
        try:
            tun = os.open("/dev/net/tun", os.O_RDWR)
            fcntl.ioctl(tun, _TUNSETIFF, struct.pack("16sH22x", wifi.MONITOR.encode(), _IFF_TUN))
        finally:
            userns.enter(home.fileno())
    fcntl.ioctl(tun, _TUNSETLINK, _ARPHRD_RADIOTAP)
    netns.run(["ip", "link", "set", wifi.MONITOR, "up"], namespace=cell)
    return tun


def test_the_devices_frames_are_kept_and_no_others_and_no_handshake(
    cell: str, tmp_path: Path
) -> None:
    tun = monitor(cell)
    link = wifi.WifiLink(wifi.Cell(cell), tmp_path)
    link.prepare()
    link.connect(Facts("udp", "air", 30, 100), 1)
    board = bytes.fromhex(addressing.BOARD_MAC.replace(":", ""))
    own = frame(board, _IPV4)
    for each in (own, frame(_OTHER, _IPV4), frame(board, _EAPOL), own):
        os.write(tun, struct.pack(">HH", 0, _IPV4) + each)
    time.sleep(capture.SETTLE_S)
    assert link.problem() == ""
    counters = link.close()
    os.close(tun)
    assert counters["monitor"] == {"captured": 2, "dropped": 0}

    raw = {"monitor.pcap": (tmp_path / "monitor.pcap").read_bytes()}
    made = store.contents({}, raw, {}, tmp_path)
    (tmp_path / "monitor.pcapng.gz").write_bytes(made["monitor.pcapng.gz"])
    assert [each.data for each in pcapng.read(tmp_path / "monitor.pcapng.gz")] == [own, own]
    words = ["tshark", "-r", tmp_path / "monitor.pcapng.gz", "-T", "fields", "-e", "wlan.ta"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [addressing.BOARD_MAC] * 2


def test_a_cell_without_a_monitor_has_no_such_capture(cell: str, tmp_path: Path) -> None:
    link = wifi.WifiLink(wifi.Cell(cell), tmp_path)
    link.prepare()
    link.connect(Facts("udp", "air", 30, 100), 1)
    assert "monitor" not in link.close()
    assert not (tmp_path / "monitor.pcap").exists()
