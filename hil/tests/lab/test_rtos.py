"""esp-mqtt of ESP8266_RTOS_SDK on the LX106, in the engine's place."""

from __future__ import annotations

from pathlib import Path

import pytest

from hil import foreign
from hil.bundle import store, verify
from hil.design import libraries
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine.uml import kernel
from hil.testbeds import runner
from hil.tests.support import lx106_images
from hil.tests.support.peers import lines

pytestmark = pytest.mark.lab

NAME = "rtos-mqtt-3.2"
MESSAGES = 20
PARAMETERS = {
    "library": NAME,
    "mode": "mqtt-qos1",
    "payload_bytes": 30,
    "interval_ms": 100,
    "messages": MESSAGES,
    "link": "netem",
    "delay_ms": 2,
}


@pytest.fixture(scope="session", autouse=True)
def image() -> None:
    if not foreign.load()[NAME].here:
        pytest.skip(f"{NAME} is not at hand: firmware/libraries/fetch {NAME}")
    if why := kernel.why_not():
        pytest.fail(why)
    lx106_images.build(f"thinwire-{NAME}")


def run(out: Path, emulator: str = "lx106", **changes: object) -> runner.Done:
    trial = Trial("libraries", {}, 1, effective(PARAMETERS | changes, "test"), board="lx106")
    done = runner.run(trial, runner.testbed("virtual", machine="uml", emulator=emulator), out)
    verify.check(done.folder)
    assert done.outcome == "ok", done.reason
    return done


def board(done: runner.Done, event: str) -> list[dict[str, object]]:
    return [line for line in lines(done.folder / "board.jsonl") if line["ev"] == event]


def received(done: runner.Done) -> list[object]:
    log = lines(done.folder / "server.jsonl")
    return [line["seq"] for line in log if line["ev"] == "received"]


@pytest.mark.parametrize("mode", libraries.LIBRARIES[NAME].modes)
def test_messages_arrive_and_are_acknowledged(mode: str, tmp_path: Path) -> None:
    done = run(tmp_path, mode=mode)
    assert received(done) == list(range(1, MESSAGES + 1))
    acked = board(done, "acked")
    assert len(acked) == (0 if mode == "mqtt-qos0" else MESSAGES)
    round_trips = 2 if mode == "mqtt-qos2" else 1
    assert all(4000 * round_trips <= line["rtt_us"] < 60_000 for line in acked)
    assert board(done, "connected") and not board(done, "failed")


@pytest.mark.parametrize("emulator", ["lx106", "qemu"])
def test_a_trial_repeats_in_each_emulator(emulator: str, tmp_path: Path) -> None:
    one, two = (run(tmp_path / place, emulator) for place in ("one", "two"))
    assert (one.folder / store.SUMS).read_bytes() == (two.folder / store.SUMS).read_bytes()


def test_it_connects_again_after_a_restart_of_the_broker(tmp_path: Path) -> None:
    done = run(tmp_path, messages=0, duration_s=30, restart_spans_s=[[8, 11]])
    assert [line["n"] for line in board(done, "connected")] == [1, 2]
    assert board(done, "acked")[-1]["t"] > 25_000_000  # of the board's time: long after it


def test_of_acknowledgements_in_one_segment_it_sees_the_first(tmp_path: Path) -> None:
    """... so messages that arrived in one burst after an outage are forgotten after 30 s."""
    changes = {"messages": 100, "interval_ms": 500, "duration_s": 80, "delay_ms": 20}
    done = run(tmp_path, **changes, outage_spans_s=[[10, 15]])
    assert received(done) == list(range(1, 101))
    unacked = board(done, "failed")
    assert unacked and {line["reason"] for line in unacked} == {"no_response"}
    assert len(unacked) + len(board(done, "acked")) == 100


SUBSCRIBER = {
    "role": "subscribe",
    "interval_ms": 1000,
    "messages": 5,
    "processing_ms": 28,
    "broker_nagle": True,
    "duration_s": 30,
}


@pytest.mark.parametrize("mode", libraries.LIBRARIES[NAME].modes)
def test_a_subscriber_hears_one_client(mode: str, tmp_path: Path) -> None:
    done = run(tmp_path, mode=mode, clients=1, **SUBSCRIBER)
    assert [line["seq"] for line in board(done, "received")] == [0, 1, 2, 3, 4]


def test_a_subscriber_hears_the_first_message_of_a_segment(tmp_path: Path) -> None:
    """... also where more follow it in the same read: the broker sends the first client's message
    alone, and those of the others in one segment."""
    changes = {"start_spread_ms": 0, "publish_ms": 10000}
    done = run(tmp_path, mode="mqtt-qos0", clients=10, **SUBSCRIBER | changes)
    heard = [(line["seq"], line["from"]) for line in board(done, "received")]
    assert [seq for seq, _ in heard] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert len({sender for _, sender in heard}) == 2


def test_a_read_ends_with_a_segment(tmp_path: Path) -> None:
    """... so an acknowledgement does not hide the message of another segment behind it."""
    changes = {"publish_ms": 2000, "broker_in_flight": 1}
    done = run(tmp_path, mode="mqtt-qos1", clients=10, **SUBSCRIBER | changes)
    assert len(board(done, "received")) == 50
