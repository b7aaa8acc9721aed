"""Do the two machines agree, and is the faster one chosen where it runs?

They share image and rig; kernel, clock and the cost of computing differ. So messages, deliveries,
their bytes, the board's log and the frames with data must be the same, event by event and byte by
byte. Times may differ by the cost of computing: in `qemu` a server, the link's queues and the
board's emulator share a billion instructions per second; in `uml` they take the time of their
system calls. With the times, the frames without data differ: a TCP acknowledgement may share a
packet in one machine only. In `uml` the first answer is retransmitted before lwIP's delayed
acknowledgement arrives; in `qemu` a first round trip of 24 ms (code is translated when it runs
first) has made TCP's timer longer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine import machines
from hil.machine.uml import kernel
from hil.selfcheck import crosscheck
from hil.testbeds import runner

# Of the median round trip, in milliseconds: what computing takes in `qemu`, and the link's 4.
_MOST_APART_MS, _LINK_MS = 2.0, 4.0
# lwIP acknowledges at ticks of 250 ms what no message has acknowledged before. With a message each
# 100 ms every second tick lies alike between them; where it lies between the answers of the two
# machines, one of them has a frame more at each of these, in the six seconds from start to end.
_TICKS_APART, _BARE_OCTETS = 12, 60


@pytest.mark.lab
@pytest.mark.parametrize("protocol", crosscheck.PROTOCOLS)
def test_both_machines_tell_the_same(protocol: str, tmp_path: Path) -> None:
    found = crosscheck.runs(protocol, tmp_path)
    uml, qemu = found["uml"], found["qemu"]
    for name in ("sent", "acked", "received", "events", "carrying"):
        assert getattr(uml, name) == getattr(qemu, name), name
    more = abs(uml.bare.packets - qemu.bare.packets)
    assert more <= _TICKS_APART
    assert abs(uml.bare.octets - qemu.bare.octets) <= _BARE_OCTETS * more
    assert abs(uml.repeated.packets - qemu.repeated.packets) <= 1
    assert _LINK_MS <= uml.median_ms <= qemu.median_ms <= uml.median_ms + _MOST_APART_MS


@pytest.mark.lab
def test_rabbitmq_starts_in_few_virtual_seconds(tmp_path: Path) -> None:
    """Without auxthread.c its runtime polls for twelve more, at ten times the processor time."""
    given = crosscheck.COMMON | crosscheck.PROTOCOLS["amqp"] | {"protocol": "amqp", "duration_s": 2}
    trial = Trial("start", {}, 1, effective(given, "start"))
    seconds: list[int] = []
    testbed = runner.testbed("virtual", machine="uml")
    assert runner.run(trial, testbed, tmp_path, progress=seconds.append).outcome == "ok"
    assert max(seconds) < 10


def test_a_machine_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="choose one of auto, uml, qemu"):
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
