"""Does a server take the time that a trial sets, and which boards and servers refuse it?"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import pytest

from hil import cli
from hil.base.errors import InputError
from hil.bundle import pcapng
from hil.bundle.turnaround import quantile, turnarounds_us
from hil.design import servertime
from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.design.protocols import protocols, servers
from hil.design.trials import Trial
from hil.tests.support.frames import frame, tcp, udp
from hil.tests.support.uml import bundle_of

MODES = ("mqtt-qos1", "mqttsn-qos1", "coap-con", "http-kept", "tcp-ack", "udp-ack")
_COMMON = {"payload_bytes": 30, "interval_ms": 500, "messages": 10, "link": "netem", "delay_ms": 2}
# The allowed difference between the system calls of two trials.
_CALLS_US = 20


def design(mode: str, server_time_us: object) -> dict[str, Any]:
    given = {"mode": mode, "server_time_us": server_time_us} | _COMMON
    return effective(given, "servertime")


def facts(mode: str, server_time_us: object) -> Facts:
    return Facts.of(design(mode, server_time_us))


def median_us(mode: str, server_time_us: object, out: Path) -> float:
    """The median time from a message to its answer, of a trial in the machine."""
    trial = Trial("servertime", {}, 1, design(mode, server_time_us))
    return statistics.median(turnarounds_us(pcapng.read(bundle_of(trial, out) / "wire.pcapng.gz")))


@pytest.mark.lab
@pytest.mark.parametrize("mode", MODES)
def test_a_server_takes_its_time_for_each_message(mode: str, tmp_path: Path) -> None:
    without = median_us(mode, 0, tmp_path / "without")
    taken = median_us(mode, 200_000, tmp_path / "taken") - without
    assert taken == pytest.approx(200_000, abs=_CALLS_US)
    measured = median_us(mode, "measured", tmp_path / "measured") - without
    known = protocols()[mode.partition("-")[0]].servers["default"].time_us
    assert known[1] - _CALLS_US < measured < known[9] + _CALLS_US


def test_drawn_times_have_the_measured_quantiles_and_follow_the_seed() -> None:
    measured = facts("mqtt-qos1", "measured")
    times = servertime.times_ns(measured, 1)
    known = servers()["mqtt"].time_us
    drawn = sorted(time / 1000 for time in times)
    for share, wanted in zip(servertime.SHARES, known, strict=True):
        # the draws end at the last share
        found = quantile(drawn, share * 100 / servertime.SHARES[-1])
        assert found == pytest.approx(wanted, rel=0.05)
    assert servertime.times_ns(measured, 1) == times != servertime.times_ns(measured, 2)


def test_without_a_time_nothing_is_taken() -> None:
    assert servertime.times_ns(facts("mqtt-qos1", 0), 1) == ()
    assert effective({"mode": "mqtt-qos1"} | _COMMON, "x")["server_time_us"] == 0


@pytest.mark.parametrize(
    "given",
    [
        {"mode": "amqp-confirms"},
        {"mode": "websocket-ping"},
        {"mode": "coap-con", "peer": "libcoap"},
    ],
)
@pytest.mark.parametrize("wanted", [100, "measured"])
def test_a_server_that_cannot_take_a_time_is_refused_by_its_name(
    given: dict[str, Any], wanted: object
) -> None:
    name = given.get("peer", given["mode"].split("-")[0])
    assert effective(given | _COMMON, "x")["server_time_us"] == 0
    with pytest.raises(
        InputError, match=f"server_time_us: the server '{name}' does not support a stated time"
    ):
        effective(given | _COMMON | {"server_time_us": wanted}, "x")


@pytest.mark.parametrize("wanted", [-1, 2_000_000, "quick", True])
def test_what_is_no_time_is_refused(wanted: object) -> None:
    with pytest.raises(InputError, match="server_time_us"):
        design("mqtt-qos1", wanted)


def test_a_turnaround_ends_with_data_of_the_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = [
        (0, tcp(1, b"")),
        (5, tcp(1, b"", from_board=False)),  # no data
        (10, tcp(1, b"PUBLISH")),
        (12, tcp(1, b"", False)),
        (40, tcp(1, b"PUBACK", False)),
        (50, udp(b"CON")),
        (55, udp(b"CON")),
        (75, udp(b"ACK", False)),
        (80, udp(b"later", False)),
    ]
    frames = [frame(data.ljust(60, b"\0"), us * 1000) for us, data in sent]
    assert list(turnarounds_us(frames)) == [30, 20]
    (tmp_path / "wire.pcapng.gz").write_bytes(pcapng.pack(pcapng.encode(frames)))
    assert cli.main(["trial", "turnaround", str(tmp_path)]) == 0
    assert "2 answers, time_us: [20, 20, 20, 20, 20, 30," in capsys.readouterr().out
    (tmp_path / "wire.pcapng.gz").write_bytes(pcapng.pack(pcapng.encode(frames[:2])))
    assert cli.main(["trial", "turnaround", str(tmp_path)]) == 2
    assert "wire.pcapng.gz: the server answered nothing; choose" in capsys.readouterr().err
