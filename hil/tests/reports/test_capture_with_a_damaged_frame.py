"""Is a stranger's capture measured though a frame of it is damaged?

Wireshark shows such a capture, and one wrong checksum of many frames says little against the
others. The findings stand above the table; `--strict` refuses the capture.
"""

from hil.tests.reports import mqtt
from hil.tests.reports.wire import Wire
from hil.tests.support import frames


def test_a_frame_with_a_wrong_checksum_is_a_finding(analyze, tmp_path):
    wire = Wire()
    session = mqtt.connect(wire)
    for number in range(1, 8):
        mqtt.publish(session, number)
    session.close()
    damaged = wire.frames[9].data[:-1] + b"y"
    wire.frames[9] = frames.frame(damaged, wire.frames[9].time_ns)
    header = tmp_path / "header.csv"
    run = analyze(wire, "--header", str(header))
    assert (run.status, run.metric("messages")) == (0, 7)
    assert run.json["findings"] == [
        {
            "frames": 1,
            "which": "10",
            "finding": "has a wrong TCP checksum",
            "may_distort": "what these frames say",
        }
    ]
    assert run.warnings == ["frame 10: has a wrong TCP checksum"]
    assert "has a wrong TCP checksum,1 frame 10; may distort" in header.read_text()
    lines = run.text.splitlines()
    found = next(i for i, line in enumerate(lines) if "has a wrong TCP checksum" in line)
    assert lines[found - 1].split() == ["frames", "which", "finding", "may", "distort"]
    assert found < next(i for i, line in enumerate(lines) if line.startswith("messages"))
    strict = analyze(wire, "--strict")
    assert strict.status == 2
    assert "frame 10: has a wrong TCP checksum; " in strict.error
