"""Does the table of a storm count frames by span, and how far the devices have got?"""

from __future__ import annotations

from hil.selfcheck import storm

# What tshark writes of a capture: a beacon, an ARP reply, its repetition beside another station's
# frame, SYN-ACK, CONNACK, an acknowledgement of the cell, PUBACK.
LINES = [
    "100.000\t0x0008\t0\tff:ff:ff:ff:ff:ff\t\t\t",
    "100.001\t0x0020\t0\t5c:cf:7f:00:00:01\t\t\t2",
    "100.002\t0x0020\t1\t5c:cf:7f:00:00:01\t\t\t2",
    "100.002\t0x0020\t0\tff:ff:ff:ff:ff:ff\t\t\t1",
    "100.012\t0x0020\tFalse\t5c:cf:7f:00:00:01\t0x0012\t\t",
    "100.030\t0x0020\tTrue\t5c:cf:7f:00:00:01\t0x0018\t2\t",
    "100.031\t0x001d\t0\t\t\t\t",
    "100.040\t0x0020\t0\t5c:cf:7f:00:00:01\t0x0018\t4\t",
]


def test_frames_are_data_and_state_what_they_bring() -> None:
    frames = [frame for line in LINES if (frame := storm.parse(line))]
    assert [frame.brings for frame in frames] == ["arp", "arp", "", "tcp", "session", "message"]
    assert [frame.repeated for frame in frames] == [False, True, False, False, True, False]


def test_a_device_counts_from_the_first_frame_of_a_stage_on() -> None:
    frames = [frame for line in LINES if (frame := storm.parse(line))]
    assert storm.reached(frames) == {
        "arp": [100.001],
        "tcp": [100.012],
        "session": [100.03],
        "message": [100.04],
    }
    rows = list(storm.table(frames))
    assert rows[0].startswith('"within, ms","data frames","collided","repetitions","devices: arp"')
    assert rows[1:4] == ["10,3,2,1,1,0,0,0", "20,1,0,0,1,1,0,0", "50,2,0,1,1,1,1,1"]
