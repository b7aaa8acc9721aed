"""Does verification detect every kind of damage to a bundle?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hil import cli
from hil.base.errors import InputError, TrialError
from hil.bundle import store as bundle
from hil.bundle import verify
from hil.design.parameters import effective
from hil.design.trials import nonce
from hil.tests.support.bundles import BOARD, DOCUMENT, LAB, NONCE, RAW, lines
from hil.tests.support.frames import pcap


def store(tmp_path: Path, lab: dict[str, Any] = LAB, **raw: bytes) -> Path:
    changed = {name.replace("_", "."): data for name, data in raw.items()}
    files = bundle.contents(DOCUMENT, RAW | changed, lab, tmp_path)
    bundle.store(files, tmp_path / "bundle")
    return tmp_path / "bundle"


def test_a_good_bundle_holds(tmp_path: Path) -> None:
    found = verify.check(store(tmp_path))
    assert (found.outcome, found.frames, found.sent, found.acknowledged, found.received) == (
        "ok",
        3,
        3,
        1,
        1,
    )


@pytest.mark.parametrize("name", bundle.FILES)
def test_one_flipped_bit_is_noticed(tmp_path: Path, name: str) -> None:
    folder = store(tmp_path)
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(bytes(data))
    with pytest.raises(TrialError, match=f"{name}: has changed"):
        verify.check(folder)


@pytest.mark.parametrize("name", bundle.FILES)
def test_a_missing_file_is_noticed(tmp_path: Path, name: str) -> None:
    folder = store(tmp_path)
    (folder / name).unlink()
    with pytest.raises(TrialError, match=f"{name}: is missing"):
        verify.check(folder)


def test_a_foreign_file_is_noticed(tmp_path: Path) -> None:
    folder = store(tmp_path)
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(TrialError, match=r"notes\.txt: does not belong"):
        verify.check(folder)


def test_a_truncated_capture_with_a_fresh_hash_is_noticed(tmp_path: Path) -> None:
    files = bundle.contents(DOCUMENT, RAW, LAB, tmp_path)
    files["wire.pcapng.gz"] = files["wire.pcapng.gz"][:-9]
    del files[bundle.SUMS]
    bundle.store(files | {bundle.SUMS: bundle.sums(files)}, tmp_path / "bundle")
    with pytest.raises(InputError, match="cannot be unpacked"):
        verify.check(tmp_path / "bundle")


def test_output_of_another_firmware_is_noticed(tmp_path: Path) -> None:
    other = RAW["board.jsonl"].replace(NONCE.encode(), b"00000000", 1)
    with pytest.raises(TrialError, match=r"board\.jsonl: line 1: lacks the nonce"):
        verify.check(store(tmp_path, board_jsonl=other))


def test_a_cut_board_log_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(TrialError, match=r"board\.jsonl: line 5: is not JSON"):
        verify.check(store(tmp_path, board_jsonl=RAW["board.jsonl"][:-9]))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"ev": "sent", "seq": "4"}, r"line 6: seq: \"4\" is not of type integer"),
        ({"ev": "sent", "seq": True}, r"line 6: seq: true is not of type integer"),
        ({"ev": "sent", "t": None}, r"line 6: t: null is not of type number"),
        ({"ev": ["sent"]}, r"line 6: ev: \[\"sent\"\] is not of type string"),
        ({}, r"line 6: 'ev' is missing"),
    ],
)
def test_a_value_of_another_type_is_noticed(
    tmp_path: Path, line: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=rf"board\.jsonl: {said}"):
        verify.check(store(tmp_path, board_jsonl=lines(*BOARD, line)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"outcome": "well"}, r"outcome: \"well\" is not allowed"),
        ({"capture": 3}, r"capture: 3 is not of type object"),
        ({"link": {"stations": {"board": 1}}}, r"link\.stations: .* is not of type array"),
        ({"link": {"stations": [{"name": "board"}]}}, r"link\.stations\.0: .* is missing"),
    ],
)
def test_a_report_that_is_none_is_noticed(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=rf"lab\.json: {said}"):
        verify.check(store(tmp_path, LAB | change))


def test_an_acknowledged_message_must_be_in_the_capture(tmp_path: Path) -> None:
    with pytest.raises(TrialError, match=r"acknowledged are not in wire.*first: 9"):
        verify.check(store(tmp_path, board_jsonl=lines(*BOARD, {"ev": "acked", "seq": 9})))


def test_an_arrived_message_must_be_in_the_capture(tmp_path: Path) -> None:
    server = lines({"ev": "received", "seq": 8, "bytes": 30})
    with pytest.raises(TrialError, match=r"arrived are not in wire"):
        verify.check(store(tmp_path, server_jsonl=server))


def test_on_a_path_without_loss_every_sent_message_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(TrialError, match=r"sent are not in wire"):
        verify.check(store(tmp_path, board_jsonl=lines(*BOARD, {"ev": "sent", "seq": 4})))


def test_frames_must_be_as_many_as_counted(tmp_path: Path) -> None:
    lab = LAB | {"capture": {"frames": 4, "dropped": 0}}
    with pytest.raises(TrialError, match=r"has 3 frames, lab\.json says 4"):
        verify.check(store(tmp_path, lab))


def test_an_unknown_key_in_trial_json_is_an_error(tmp_path: Path) -> None:
    files = bundle.contents(DOCUMENT | {"speed": 1}, RAW, LAB, tmp_path)
    bundle.store(files, tmp_path / "bundle")
    with pytest.raises(InputError, match="unknown key 'speed'"):
        verify.check(tmp_path / "bundle")


def test_a_failed_trial_holds_if_it_says_so(tmp_path: Path) -> None:
    lab = {"outcome": "failed", "reason": "the board logged crash"}
    found = verify.check(store(tmp_path, lab, wire_pcap=pcap([])))
    assert (found.outcome, found.reason) == ("failed", "the board logged crash")


def test_the_command_reports_each_bundle_and_the_worst_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = store(tmp_path)
    assert cli.main(["trial", "verify", str(good)]) == 0
    assert cli.main(["trial", "verify", str(good), str(tmp_path / "nothing")]) == 2
    (good / "lab.json").write_text("{}")
    assert cli.main(["trial", "verify", str(good)]) == 1
    said = capsys.readouterr()
    assert "bundle: valid; outcome ok; 3 frames" in said.out
    assert "Traceback" not in said.err


def two_devices(tmp_path: Path, devices: bytes | None, server: bytes) -> Path:
    """A bundle of two devices, which both send the messages 1 to 3 in the air of one capture."""
    parameters = effective(
        {key: DOCUMENT["parameters"][key] for key in ("mode", "payload_bytes", "interval_ms")}
        | {"link": "netem", "duration_s": 1, "devices": 2},
        "test",
    )
    document = DOCUMENT | {"parameters": parameters}
    mark = nonce(document).encode()
    raw = RAW | {"server.jsonl": server} | ({"devices.jsonl": devices} if devices else {})
    raw = {
        name: data.replace(NONCE.encode(), mark) if name.endswith("l") else data
        for name, data in raw.items()
    }
    lab = LAB | {"nonce": mark.decode()}
    bundle.store(bundle.contents(document, raw, lab, tmp_path), tmp_path / "bundle")
    return tmp_path / "bundle"


def test_each_device_has_a_log(tmp_path: Path) -> None:
    server = lines({"ev": "received", "seq": 2, "bytes": 30})
    with pytest.raises(TrialError, match=r"devices\.jsonl: is missing"):
        verify.check(two_devices(tmp_path, None, server))
    of_third = lines({"device": "b3", "ev": "boot"})
    with pytest.raises(TrialError, match=r"devices\.jsonl: has no line of b2"):
        verify.check(two_devices(tmp_path, of_third, server))
    of_second = lines({"device": "b2", "ev": "boot"})
    assert verify.check(two_devices(tmp_path, of_second, server)).sent == 3


def test_a_message_of_one_device_is_not_found_in_the_frames_of_another(tmp_path: Path) -> None:
    """Number 2 is in the capture, but the first device sent it."""
    server = lines({"ev": "received", "seq": 2, "bytes": 30, "from": "b2"})
    of_second = lines({"device": "b2", "ev": "boot"})
    with pytest.raises(TrialError, match=r"1 messages that server\.jsonl says arrived are not in"):
        verify.check(two_devices(tmp_path, of_second, server))


def test_a_message_of_a_device_that_the_trial_does_not_have_is_noticed(tmp_path: Path) -> None:
    server = lines({"ev": "received", "seq": 2, "bytes": 30, "from": "b2"})
    with pytest.raises(TrialError, match=r"messages of b2, which is no device"):
        verify.check(store(tmp_path, server_jsonl=server))
