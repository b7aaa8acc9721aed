"""Libraries of other authors on the LX106: messages arrive, are acknowledged, and trials repeat."""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.bundle import store, verify
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine.uml import kernel
from hil.testbeds import runner
from hil.tests.support import lx106_images
from hil.tests.support.peers import lines

pytestmark = pytest.mark.lab

LIBCOAP = ROOT / "build" / "src" / "libcoap3" / "src" / "coap_net.c"
MESSAGES = 20
PARAMETERS = {
    "payload_bytes": 30,
    "interval_ms": 100,
    "messages": MESSAGES,
    "link": "netem",
    "delay_ms": 2,
}


@pytest.fixture(scope="session", autouse=True)
def images() -> None:
    """The images, of which that of libcoap needs a source that a mirror may not have."""
    if why := kernel.why_not():
        pytest.fail(why)
    targets = ["thinwire-lwipmqtt"]
    if LIBCOAP.exists():
        targets.append("thinwire-libcoap")
    lx106_images.build(*targets)


def run(library: str, out: Path, emulator: str = "lx106", **changes: object) -> runner.Done:
    if library == "libcoap" and not LIBCOAP.exists():
        pytest.skip("libcoap's source is not at hand")
    parameters = effective(PARAMETERS | {"library": library} | changes, "test")
    trial = Trial("libraries", {}, 1, parameters, board="lx106")
    done = runner.run(trial, runner.testbed("virtual", machine="uml", emulator=emulator), out)
    verify.check(done.folder)
    assert done.outcome == "ok", done.reason
    return done


def board(done: runner.Done, event: str) -> list[dict[str, object]]:
    return [line for line in lines(done.folder / "board.jsonl") if line["ev"] == event]


def received(done: runner.Done) -> set[object]:
    log = lines(done.folder / "server.jsonl")
    return {line["seq"] for line in log if line["ev"] == "received"}


MODES = [
    ("lwipmqtt", {"protocol": "mqtt", "qos": 0}),
    ("lwipmqtt", {"protocol": "mqtt", "qos": 1}),
    ("lwipmqtt", {"protocol": "mqtt", "qos": 2}),
    ("libcoap", {"protocol": "coap", "confirmable": True}),
    ("libcoap", {"protocol": "coap", "confirmable": False}),
]


@pytest.mark.parametrize(("library", "mode"), MODES)
def test_messages_arrive_and_are_acknowledged(library, mode, tmp_path):
    done = run(library, tmp_path, **mode)
    assert received(done) == set(range(1, MESSAGES + 1))
    confirmed = bool(mode.get("qos") or mode.get("confirmable"))
    acked = board(done, "acked")
    assert len(acked) == (MESSAGES if confirmed else 0)
    assert all(4000 <= line["rtt_us"] < 60_000 for line in acked)
    assert board(done, "connected") and not board(done, "failed")


@pytest.mark.parametrize(("library", "mode"), [MODES[1], MODES[3]])
@pytest.mark.parametrize("emulator", ["lx106", "qemu"])
def test_a_trial_repeats_in_each_emulator(library, mode, emulator, tmp_path):
    one, two = (run(library, tmp_path / place, emulator, **mode) for place in ("one", "two"))
    assert (one.folder / store.SUMS).read_bytes() == (two.folder / store.SUMS).read_bytes()


@pytest.mark.parametrize(("library", "mode"), [MODES[1], MODES[3]])
def test_lost_packets_are_repeated(library, mode, tmp_path):
    done = run(library, tmp_path, **mode, loss_pct=10, interval_ms=5000)
    assert received(done) == set(range(1, MESSAGES + 1))
    assert len(board(done, "acked")) == MESSAGES


def test_the_mqtt_client_connects_again_after_a_restart_of_the_broker(tmp_path):
    changes = {"messages": 0, "duration_s": 20, "restart_spans_s": [[8, 11]]}
    done = run("lwipmqtt", tmp_path, protocol="mqtt", qos=1, **changes)
    assert [line["n"] for line in board(done, "connected")] == [1, 2]
    assert board(done, "disconnected")
    last = board(done, "acked")[-1]
    assert last["t"] > 15_000_000  # of the board's time: long after the restart
