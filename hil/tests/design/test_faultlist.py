"""Are wrong faults refused with one clear line, and right ones handed to the program `wire`?"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import schema
from hil.design import board_rules, faultlist, tryfile
from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.rig.links import wire

WIRE = ROOT / "build" / "sim" / "wire" / "wire"
COMMON = {"link": "netem", "payload_bytes": 30, "interval_ms": 100, "duration_s": 20}
# A fault of each kind, with every key that the kind has.
ALL: list[dict[str, Any]] = [
    {"kind": "loss", "at_s": 1, "for_s": 2, "share": 0.5, "from": "device"},
    {"kind": "duplicate", "at": {"packet": "PUBLISH", "number": 3, "qos": 1, "from": "device"}},
    {"kind": "delay", "at_s": 1, "delay_ms": 300, "frames": 2},
    {"kind": "reorder", "at_s": 1, "delay_ms": 50},
    {"kind": "truncate", "at_s": 1, "bytes": 3, "valid_checksum": True},
    {"kind": "bit_flip", "at_s": 1, "bit": 9, "valid_checksum": True},
    {"kind": "split", "at_s": 1, "for_s": 3, "bytes": 2, "from": "server"},
    {"kind": "rate_limit", "at_s": 1, "for_s": 3, "rate_kbps": 5, "from": "server"},
    {"kind": "link_down", "at_s": 1, "for_s": 3},
    {"kind": "half_open", "at": {"packet": "PUBLISH", "after_s": 0}, "from": "server"},
    {"kind": "tcp_reset", "at_s": 1, "to": "device"},
    {"kind": "nat_rebind", "at_s": 1},
    {"kind": "refuse", "at_s": 1, "for_s": 2},
    {"kind": "server_kill", "at_s": 1, "for_s": 2, "state": "kept"},
    {"kind": "server_restart", "at": {"packet": "PINGREQ"}, "for_s": 2},
    {"kind": "server_pause", "at_s": 1, "for_s": 2},
    {"kind": "server_slow", "at_s": 1, "for_s": 2, "delay_ms": 300},
    {"kind": "server_connections", "at_s": 1, "for_s": 2},
    {"kind": "device_reset", "at": {"packet": "PUBLISH", "after_s": 1}, "memory": "kept"},
]


def facts(*faults: dict[str, Any], mode: str = "mqtt-qos1", **more: Any) -> Facts:
    return Facts.of(effective({"mode": mode, **COMMON, "faults": list(faults), **more}, "test"))


def test_there_is_an_example_of_every_kind_and_key() -> None:
    known = schema("parameters")["$defs"]["fault"]["properties"]
    assert {fault["kind"] for fault in ALL} == {*faultlist.KINDS} == {*known["kind"]["enum"]}
    assert {key for keys in faultlist.KINDS.values() for key in keys} | {"kind", "at", "at_s"} == {
        *known
    }


@pytest.mark.parametrize("fault", ALL, ids=lambda fault: str(fault["kind"]))
def test_each_kind_is_accepted_by_the_program(fault: dict[str, Any], tmp_path: Path) -> None:
    if not WIRE.exists():
        pytest.fail("build/sim/wire/wire is not built")
    ends = {"tap": "a"}, {"tap": "b"}
    document = wire.configuration(facts(fault), 7, *ends, tmp_path)
    file = tmp_path / "wire.json"
    file.write_text(json.dumps(document))
    run = subprocess.run([WIRE, "--check", file], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ({"kind": "loss"}, "fault 1: needs one of at_s and at"),
        ({"kind": "loss", "at_s": 1, "at": {"packet": "SYN"}}, "needs one of at_s and at"),
        ({"kind": "loss", "at_s": 20}, "begins at 20 s, and the device ends at 20 s"),
        ({"kind": "loss", "at_s": 1, "rate_kbps": 5}, "loss has no rate_kbps"),
        ({"kind": "half_open", "at_s": 1}, "half_open needs from"),
        ({"kind": "server_pause", "at_s": 1}, "server_pause needs for_s"),
        ({"kind": "loss", "at": {"packet": "CON"}}, "no packet CON is recognised; known: DATA"),
        ({"kind": "loss", "at": {"packet": "SYN", "qos": 1}}, "qos is no property of SYN"),
    ],
)
def test_a_wrong_fault_is_named(fault: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError) as caught:
        facts(fault)
    assert problem in str(caught.value) and caught.value.key == "faults"


def test_what_tcp_alone_has_is_refused_over_udp() -> None:
    for kind in ("split", "tcp_reset", "refuse", "server_connections"):
        with pytest.raises(InputError, match=f"{kind} needs TCP, and CoAP uses UDP"):
            facts({"kind": kind, "at_s": 1}, mode="coap-con")
    assert facts({"kind": "loss", "at": {"packet": "CON"}}, mode="coap-con").faults


def test_tls_hides_the_packets_of_the_protocol() -> None:
    with pytest.raises(InputError, match="no packet PUBLISH is recognised inside TLS"):
        facts({"kind": "loss", "at": {"packet": "PUBLISH"}}, security="pinned")
    assert facts({"kind": "loss", "at": {"packet": "DATA"}}, security="pinned").faults


def test_the_servers_state_is_either_kept_or_lost() -> None:
    kill = {"kind": "server_kill", "at_s": 1, "for_s": 1}
    with pytest.raises(InputError, match="keeps the server's state and another loses it"):
        facts(kill, {**kill, "at_s": 5, "state": "lost"})
    assert faultlist.keeps_state(facts(kill))
    assert not faultlist.keeps_state(facts({**kill, "state": "lost"}))
    assert not faultlist.keeps_state(facts({"kind": "loss", "at_s": 1}))
    assert facts({**kill, "state": "lost"}, {"kind": "server_pause", "at_s": 5, "for_s": 1}).faults


def test_a_reset_is_over_at_once_and_needs_the_trials_duration() -> None:
    reset = {"kind": "device_reset", "at_s": 3, "memory": "kept"}
    (entry,) = faultlist.schedule(facts(reset))
    assert entry == {"number": 1, "kind": "outside", "at_ms": 3000, "for_ms": 0}
    with pytest.raises(InputError, match="device_reset needs duration_s"):
        facts(reset, duration_s=0, messages=100)


@pytest.mark.parametrize(
    ("more", "key", "name"),
    [
        ({"faults": [{"kind": "device_reset", "at_s": 1}]}, "faults", "device_reset"),
        ({"clock_start_ms": 4294967}, "clock_start_ms", "clock_start_ms"),
        ({"heap_bytes": 9000}, "heap_bytes", "heap_bytes"),
    ],
)
def test_what_the_emulator_alone_does_is_refused_on_other_boards(
    more: dict[str, Any], key: str, name: str
) -> None:
    stated = Facts.of(effective({"mode": "mqtt-qos1", **COMMON, **more}, "test"))
    board_rules.check(stated, "lx106", "test")
    with pytest.raises(InputError, match=f"{name} does not apply to the board zephyr") as caught:
        board_rules.check(stated, "zephyr", "test")
    assert caught.value.key == key


def test_an_unknown_kind_in_a_thinwire_yaml_has_its_line(tmp_path: Path) -> None:
    text = (
        "device: {engine: mqtt-qos1}\nserver: mosquitto\nduration_s: 9\nfaults:\n"
        "  - {kind: losss, at_s: 1}\nexpect: {delivered: 3}\n"
    )
    (tmp_path / "thinwire.yaml").write_text(text)
    with pytest.raises(InputError, match=r"line 5: faults.0.kind.*did you mean 'loss'"):
        tryfile.read(tmp_path)


def test_the_faults_of_a_thinwire_yaml_are_parameters_of_its_trials(tmp_path: Path) -> None:
    text = (
        "device: {engine: mqtt-qos1}\nserver: mosquitto\nduration_s: 9\n"
        "parameters: {payload_bytes: 30, interval_ms: 100}\n"
        "faults: [{kind: loss, at_s: 1}]\nexpect: {delivered: 3}\n"
    )
    (tmp_path / "thinwire.yaml").write_text(text)
    assert tryfile.read(tmp_path).parameters["faults"] == [{"kind": "loss", "at_s": 1}]


def test_a_trial_without_faults_does_not_state_them() -> None:
    assert "faults" not in effective({"mode": "mqtt-qos1", **COMMON}, "test")
