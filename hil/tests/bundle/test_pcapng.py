"""Are captures kept bit by bit, without a trace of the host, and is damage noticed?"""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.bundle import pcapng
from hil.tests.support.frames import frame, pcap, udp

FRAMES = [frame(udp(b"b1 1 1000 ...........")), frame(udp(b"x" * 7), 1_577_836_800_999_999_999)]


def test_frames_survive_the_way_from_pcap_to_pcapng(tmp_path: Path) -> None:
    (tmp_path / "in.pcap").write_bytes(pcap(FRAMES))
    read = list(pcapng.read_pcap(tmp_path / "in.pcap"))
    (tmp_path / "out.pcapng.gz").write_bytes(pcapng.pack(pcapng.encode(read)))
    assert pcapng.read(tmp_path / "out.pcapng.gz") == FRAMES


def test_the_file_has_no_date_name_or_comment() -> None:
    data = pcapng.encode(FRAMES)
    # RFC 1952, 2.3: no flags, no time; the system is 3 with each version of Python
    assert pcapng.pack(data)[:10].hex() == "1f8b0800000000000003"
    section_bytes, interface_bytes = 28, 32
    assert struct.unpack_from("<I", data, 4)[0] == section_bytes
    assert struct.unpack_from("<I", data, section_bytes + 4)[0] == interface_bytes


def test_a_half_written_last_record_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "in.pcap").write_bytes(pcap(FRAMES)[:-3])
    assert list(pcapng.read_pcap(tmp_path / "in.pcap")) == FRAMES[:1]


def test_microseconds_are_refused(tmp_path: Path) -> None:
    (tmp_path / "in.pcap").write_bytes(pcap(FRAMES, magic=0xA1B2C3D4))
    with pytest.raises(InputError, match="not a pcap file with nanoseconds"):
        list(pcapng.read_pcap(tmp_path / "in.pcap"))


@pytest.mark.parametrize("cut", [1, 8, 40])
def test_a_cut_gzip_file_is_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "wire.pcapng.gz"
    path.write_bytes(pcapng.pack(pcapng.encode(FRAMES))[:-cut])
    with pytest.raises(InputError, match="cannot be unpacked"):
        pcapng.read(path)


@pytest.mark.parametrize("cut", [1, 4, 30, 70])
def test_a_cut_pcapng_is_refused_with_its_offset(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "wire.pcapng.gz"
    path.write_bytes(pcapng.pack(pcapng.encode(FRAMES)[:-cut]))
    with pytest.raises(InputError, match=r"offset \d+: a block of the capture is truncated"):
        pcapng.read(path)


def test_tshark_reads_stamps_to_the_nanosecond(tmp_path: Path) -> None:
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.fail("no tshark here")
    path = tmp_path / "wire.pcapng.gz"
    path.write_bytes(pcapng.pack(pcapng.encode(FRAMES)))
    run = subprocess.run(
        [tshark, "-r", path, "-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == [
        "1577836800.000000001",
        str(FRAMES[0].length),
        "1577836800.999999999",
        str(FRAMES[1].length),
    ]
