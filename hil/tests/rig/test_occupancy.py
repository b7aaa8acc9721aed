"""Is the channel's occupancy by others measured before a trial, and reported if too high?"""

from __future__ import annotations

import os
import shutil
import struct
import threading
import time
from pathlib import Path

import pytest

from hil.design import addressing
from hil.design.facts import Facts
from hil.rig import capture
from hil.rig.links import occupancy, wifi
from hil.tests.rig.test_monitor import cell, monitor  # noqa: F401  (a fixture)
from hil.tests.support import farm

AP, BOARD = "02:00:00:00:00:01", addressing.BOARD_MAC
THEIR_AP, THEIRS = "02:00:00:00:00:08", "02:00:00:00:00:09"
BEGIN = 1_600_000_000
ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="makes a network namespace")


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def _radiotap(rate_mbps: float | None) -> bytes:
    if rate_mbps is None:
        return struct.pack("<BBHI", 0, 0, 8, 0)
    return struct.pack("<BBHIBB", 0, 0, 10, 1 << 1 | 1 << 2, 0, round(rate_mbps * 2))


def data(sender: str, receiver: str, rate_mbps: float | None, size: int = 1000) -> bytes:
    head = b"\x88\x01" + bytes(2) + _mac(receiver) + _mac(sender) + _mac(receiver) + bytes(4)
    return _radiotap(rate_mbps) + head.ljust(size, b"x")


def ack(receiver: str) -> bytes:
    return _radiotap(1) + b"\xd4\x00" + bytes(2) + _mac(receiver)


def recorded(file: Path, frames: list[tuple[float, bytes]]) -> Path:
    """A capture as tcpdump writes it, with radiotap."""
    text = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 127)
    for at, each in frames:
        stamp = round(at * 1e9)
        text += struct.pack("<IIII", BEGIN + stamp // 10**9, stamp % 10**9, len(each), len(each))
        text += each
    file.write_bytes(text)
    return file


def test_frames_of_others_are_counted_by_their_time_on_the_air(tmp_path: Path) -> None:
    file = recorded(
        tmp_path / "before.pcap",
        [
            (-0.1, data(THEIRS, THEIR_AP, 1)),  # too early
            (0.1, data(THEIRS, THEIR_AP, 1)),  # 192 us of preamble, 8000 us
            (0.2, ack(THEIRS)),  # 272 us
            (0.3, data(THEIRS, THEIR_AP, 54)),  # 20 us, 38 symbols of 4 us
            (0.4, data(AP, BOARD, 1)),
            (0.5, ack(AP)),
            (0.6, data(THEIRS, THEIR_AP, None)),
            (1.1, data(THEIRS, THEIR_AP, 1)),  # too late
        ],
    )
    found = occupancy.heard(file, {AP, BOARD}, BEGIN, 1.0)
    assert found == {"share": round((8192 + 272 + 172) / 1e6, 3), "frames": 4, "unmeasured": 1}


SURVEY = """Survey data from wlan0
	frequency:			2412 MHz
	channel active time:		100 ms
	channel busy time:		90 ms
Survey data from wlan0
	frequency:			2437 MHz [in use]
	noise:				-95 dBm
	channel active time:		{} ms
	channel busy time:		{} ms
	channel receive time:		{} ms
	channel transmit time:		{} ms
"""


def test_a_survey_tells_what_others_had() -> None:
    before, after = (
        occupancy.survey(SURVEY.format(*numbers))
        for numbers in ((1000, 100, 40, 20), (2000, 500, 90, 70))
    )
    assert occupancy.foreign(before, after) == 0.3  # 400 ms busy, 100 of them its own, of 1000
    assert occupancy.foreign({}, after) is None


def measured(name: str, folder: Path) -> dict[str, object]:
    """What a link without a trial reports about its air."""
    link = wifi.WifiLink(wifi.Cell(name), folder)
    link.prepare()
    link.connect(Facts("udp", "air", 30, 100), 1)
    time.sleep(capture.SETTLE_S)
    return link.close()


@pytest.mark.root
@ROOT
def test_a_monitor_listens_before_the_trial(
    cell: str,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(occupancy, "LISTEN_S", 0.5)
    tun, over = monitor(cell), threading.Event()

    def talk() -> None:
        while not over.wait(0.01):
            for each in (data(THEIRS, THEIR_AP, 1), data(BOARD, AP, 1)):
                os.write(tun, struct.pack(">HH", 0, 0x0800) + each)

    talker = threading.Thread(target=talk)
    talker.start()
    try:
        report = measured(cell, tmp_path)
    finally:
        over.set()
        talker.join()
        os.close(tun)
    before = report["occupancy_before"]
    assert isinstance(before, dict)
    # 8.2 ms at most each 10 ms; a busy host writes fewer.
    assert 0 < before["share"] < 0.85 and before["by"] == "monitor"
    assert str(report["problem"]).endswith("of the channel's time before the trial")
    assert not (tmp_path / "before.pcap").exists()


@pytest.mark.root
@ROOT
def test_without_a_monitor_the_driver_counts(
    cell: str,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """... by iw in front of it; the one here prints what the real one does."""
    monkeypatch.setattr(occupancy, "LISTEN_S", 0.0)
    shutil.copy(Path(farm.__file__).with_name("iw.sh"), tmp_path / "iw")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("THINWIRE_BUSY", str(tmp_path / "busy"))
    settings = wifi.CELLS / cell / "hostapd.conf"
    settings.write_text(settings.read_text() + "interface=wlan0\n")
    (tmp_path / "busy").write_text("0\n310\n0\n40\n")
    report = measured(cell, tmp_path)
    assert report["occupancy_before"] == {"by": "survey", "seconds": 0.0, "share": 0.31}
    assert report["foreign_share"] == 0.04
    assert report["problem"] == "foreign traffic: 31% of the channel's time before the trial"
