"""Is the first event at which two runs diverge reported, with its time and its source?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hil import cli
from hil.bundle import diff, pcapng
from hil.bundle import store as bundle
from hil.tests.support.bundles import DOCUMENT, LAB
from hil.tests.support.frames import frame, pcap, tcp, udp

SECOND = 1_577_836_800
Line = dict[str, object]


def run(
    folder: Path,
    *,
    board: list[Line],
    server: list[Line],
    frames: list[pcapng.Frame],
    lab: Line | None = None,
) -> Path:
    """A bundle of these events."""
    folder.mkdir()
    text = "".join(
        json.dumps(line).replace(f'"{line["t"]}"', str(line["t"])) + "\n" for line in server
    )
    raw = {
        "wire.pcap": pcap(frames),
        "board.jsonl": "".join(json.dumps(line) + "\n" for line in board).encode(),
        "server.jsonl": text.encode(),
    }
    bundle.store(bundle.contents(DOCUMENT, raw, LAB | (lab or {}), folder), folder / "bundle")
    return folder / "bundle"


def ns(after_us: int) -> int:
    return SECOND * 10**9 + after_us * 1000


def stamp(after_us: int) -> str:
    return f"{SECOND}.{after_us * 1000:09}"


BOARD: list[Line] = [
    {"t": 0, "ev": "boot"},
    {"t": 1000, "ev": "sent", "seq": 1},
    {"t": 6000, "ev": "acked", "seq": 1},
    {"t": 101_000, "ev": "sent", "seq": 2},
]
SERVER: list[Line] = [{"t": stamp(3000), "server": "mosquitto", "ev": "received", "seq": 1}]
FRAMES = [
    frame(tcp(1, b"PUBLISH 1"), ns(3000)),
    frame(tcp(1, b"PUBACK 1", from_board=False), ns(3046)),
    frame(udp(b"CON"), ns(103_000)),
]


def test_equal_runs_do_not_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair = [str(run(tmp_path / n, board=BOARD, server=SERVER, frames=FRAMES)) for n in "ab"]
    assert cli.main(["trial", "compare", *pair]) == 0
    assert capsys.readouterr().out == "the same events, each at the same time\n"


def test_the_earliest_event_that_is_late_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The server's answer is 2 us late, and so is everything after it."""
    later = [FRAMES[0], frame(FRAMES[1].data, ns(3048)), frame(FRAMES[2].data, ns(103_002))]
    board = [*BOARD[:2], BOARD[2] | {"t": 6002}, BOARD[3] | {"t": 101_002}]
    one = run(tmp_path / "a", board=BOARD, server=SERVER, frames=FRAMES)
    two = run(tmp_path / "b", board=board, server=SERVER, frames=later)
    assert cli.main(["trial", "compare", str(one), str(two)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"first difference at {SECOND}.003046000 s, wire, event 2:"
    assert f"A: {stamp(3046)} servers send 62 bytes: TCP 50000 > 1883 PSH ACK seq 1" in said[1]
    assert said[3] == "  the same, 2000 ns later in B"
    assert said[4] == f"then at {SECOND}.008000000 s, board, event 3"
    assert len(said) == 5


def test_a_stream_that_ends_early_is_named(tmp_path: Path) -> None:
    more: list[Line] = [*SERVER, {"t": stamp(5000), "server": "load", "ev": "failed"}]
    one = run(tmp_path / "a", board=BOARD, server=more, frames=FRAMES)
    two = run(tmp_path / "b", board=BOARD, server=SERVER, frames=FRAMES)
    (found,) = diff.divergences(one, two)
    assert (found.stream, found.position, found.time_ns) == ("load", 1, ns(5000))
    assert found.events[1] is None and "B: has ended" in str(found)


def test_a_changed_byte_is_found(tmp_path: Path) -> None:
    changed = [FRAMES[0], FRAMES[1], frame(udp(b"COn"), ns(103_000))]
    one = run(tmp_path / "a", board=BOARD, server=SERVER, frames=FRAMES)
    two = run(tmp_path / "b", board=BOARD, server=SERVER, frames=changed)
    (found,) = diff.divergences(one, two)
    assert "board send 45 bytes: UDP 50000 > 5683" in str(found)
    assert str(found).endswith("byte 44 differs")


def test_another_image_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lab: list[Line] = [{"versions": {"image": image}} for image in ("old", "new")]
    pair = [
        str(run(tmp_path / name, board=BOARD, server=SERVER, frames=FRAMES, lab=versions))
        for name, versions in zip("ab", lab, strict=True)
    ]
    assert cli.main(["trial", "compare", *pair]) == 1
    assert "lab.json: versions.image: old in A, new in B" in capsys.readouterr().out


def test_what_is_no_bundle_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = run(tmp_path / "a", board=BOARD, server=SERVER, frames=FRAMES)
    assert cli.main(["trial", "compare", str(one), str(tmp_path)]) == 2
    assert "trial.json: cannot be read" in capsys.readouterr().err


def test_a_log_that_is_no_log_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = run(tmp_path / "a", board=BOARD, server=SERVER, frames=FRAMES)
    (one / "board.jsonl").write_text("[" * 100_000 + "\n", encoding="utf-8")
    assert cli.main(["trial", "compare", str(one), str(one)]) == 2
    assert (
        "board.jsonl: cannot be read (line 1: is not JSON (it is deeper" in capsys.readouterr().err
    )


def test_a_further_device_is_a_stream_on_a_clock_of_its_own(tmp_path: Path) -> None:
    """Its clock was 0 half a second and 2 ms after SECOND."""
    on = {"t": 0, "ev": "power_on", "device": "b2", "at_s": SECOND + 0.5, "clock_us": 2000}
    found = []
    for name, seq in (("a", 1), ("b", 2)):
        folder = run(tmp_path / name, board=BOARD, server=SERVER, frames=FRAMES)
        log: list[Line] = [on, {"device": "b2", "t": 1000, "ev": "sent", "seq": seq}]
        (folder / bundle.DEVICES).write_text("".join(json.dumps(line) + "\n" for line in log))
        found.append(folder)
    (difference,) = diff.divergences(*found)
    assert (difference.stream, difference.position) == ("board b2", 2)
    assert difference.time_ns == ns(503_000)
