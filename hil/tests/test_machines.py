"""Do the two machines agree, and is the right one chosen?

They share image and rig; kernel, clock and the cost of computing differ. So messages, deliveries,
their bytes and the board's log must be the same, event by event. Times may differ by what computing
costs in `qemu`: there a server, the link's queues and the board's emulator take part of a billion
instructions a second, here they take the time of their system calls. With the times, one or two
packets in a hundred differ: an acknowledgement of TCP shares a packet here and not there, and the
first answer is repeated in `uml` before lwIP's delayed acknowledgement arrives, where in `qemu` a
first round trip of 24 ms (code that runs first is translated) has made TCP's timer longer.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from hil import runner
from hil.bundle import verify
from hil.design.parameters import effective
from hil.design.studies import Trial
from hil.errors import InputError
from hil.machine import machines
from hil.machine.uml import kernel
from hil.testbeds.virtual import VirtualTestbed

_COMMON = {"payload_bytes": 30, "interval_ms": 100, "duration_s": 5, "link": "netem", "delay_ms": 2}
PROTOCOLS: dict[str, dict[str, Any]] = {
    "mqtt": {"qos": 1, "keepalive_s": 60},
    "mqttsn": {"qos": 1, "keepalive_s": 60},
    "coap": {"confirmable": True},
    "http": {"keep_alive": True},
    "websocket": {"keepalive_s": 60},
    "tcp": {},
    "udp": {},
}
# Of the median round trip, in milliseconds: what computing takes in `qemu`, and the link's 4.
_MOST_APART_MS, _LINK_MS = 2.0, 4.0
# lwIP acknowledges at ticks of 250 ms what no message has acknowledged before. With a message each
# 100 ms every second tick lies alike between them; where it lies between the answers of the two
# machines, one of them has a frame more at each of these, in the six seconds from start to end.
_TICKS_APART = 12


def figures(folder: Path) -> tuple[dict[str, object], int, float]:
    """What must be equal, the number of packets, and the median round trip in ms."""
    found = verify.check(folder)
    board = [json.loads(line) for line in (folder / "board.jsonl").read_text().splitlines()]
    server = [json.loads(line) for line in (folder / "server.jsonl").read_text().splitlines()]
    began = {line["seq"]: line["t"] for line in board if line["ev"] == "sent"}
    trips = [(line["t"] - began[line["seq"]]) / 1000 for line in board if line["ev"] == "acked"]
    equal = {
        "sent": sorted(began),
        "acked": sorted(line["seq"] for line in board if line["ev"] == "acked"),
        "received": [(line["seq"], line["bytes"]) for line in server if line["ev"] == "received"],
        "events": [line["ev"] for line in board],
    }
    return equal, found.frames, statistics.median(trips)


@pytest.mark.lab
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_both_machines_tell_the_same(protocol: str, tmp_path: Path) -> None:
    wanted = {"protocol": protocol} | PROTOCOLS[protocol] | _COMMON
    trial = Trial("crosscheck", {}, 1, effective(wanted, "crosscheck"))
    seen = []
    for machine in ("qemu", "uml"):
        done = runner.run(trial, runner.testbed("virtual", machine=machine), tmp_path / machine)
        assert done.outcome == "ok", done.reason
        seen.append(figures(done.folder))
    (qemu, qemu_packets, qemu_ms), (uml, uml_packets, uml_ms) = seen
    assert uml == qemu
    assert abs(uml_packets - qemu_packets) <= _TICKS_APART
    assert _LINK_MS <= uml_ms <= qemu_ms <= uml_ms + _MOST_APART_MS


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"protocol": "mqtt"}, "uml"),
        ({"protocol": "amqp"}, "qemu"),
        ({"protocol": "amqp", "security": "chain"}, "uml"),
    ],
    ids=["mqtt", "amqp", "amqp-tls"],
)
def test_rabbitmq_runs_where_it_is_cheap_unless_the_chip_computes(
    parameters: dict[str, Any], name: str
) -> None:
    assert VirtualTestbed().machine_of(effective(parameters | _COMMON, "choice")).name == name


def test_a_machine_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="choose of auto, uml, qemu"):
        machines.choose("vax")


@pytest.fixture
def no_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "FOLDER", tmp_path)
    (tmp_path / "why").write_text("flex is missing\n")
    for function in (kernel.why_not, machines.choose):
        function.cache_clear()


@pytest.mark.usefixtures("no_kernel")
def test_without_its_kernel_the_other_machine_serves_and_this_is_said_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert {machines.choose("auto").name for _ in range(3)} == {"qemu"}
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "flex is missing" in said
    machines.choose.cache_clear()
    kernel.why_not.cache_clear()


@pytest.mark.usefixtures("no_kernel")
def test_without_its_kernel_uml_is_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match="flex is missing"):
        machines.choose("uml")
    kernel.why_not.cache_clear()
