"""What happens to a device whose NAT forgets it between two messages (RFC 4787, RFC 5382)?"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hil.base.paths import ROOT
from hil.bundle import store
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.selfcheck import determinism
from hil.tests.support.uml import bundle_of

pytestmark = pytest.mark.lab

MESSAGES = 3
_OF_MQTT = ("qos", "keepalive_s", "clean_session")
RESTS = determinism.TRIAL | {
    **{"duration_s": 0, "loss_pct": 0, "jitter_ms": 0},
    **{"interval_ms": 40000, "messages": MESSAGES, "nat_timeout_s": 30},
}


def run(folder: Path, protocol: str, **parameters: Any) -> Path:
    """Run a trial of a device that rests for longer than its NAT remembers; return its bundle."""
    given = RESTS | {"protocol": protocol} | parameters
    if protocol == "coap":
        given = {name: value for name, value in given.items() if name not in _OF_MQTT}
    return bundle_of(Trial("nat", {"protocol": protocol}, 1, effective(given, "nat")), folder)


def logged(bundle: Path, kind: str) -> int:
    lines = (bundle / "board.jsonl").read_text(encoding="utf-8").splitlines()
    return sum(json.loads(line)["ev"] == kind for line in lines)


def ports(bundle: Path) -> list[str]:
    """The device's ports at the server in the order in which they came first."""
    command = [ROOT / "workflow/wireshark/dissect", bundle / "wire.pcapng.gz"]
    command += ["-Y", "ip.src==10.77.1.1", "-T", "fields", "-e", "tcp.srcport", "-e", "udp.srcport"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return list(dict.fromkeys(line.strip() for line in done.stdout.splitlines()))


def test_over_tcp_each_rest_costs_a_connection_which_keep_alive_saves(tmp_path: Path) -> None:
    lost = run(tmp_path / "lost", "mqtt", qos=1, keepalive_s=1000, clean_session=False)
    assert (logged(lost, "connected"), logged(lost, "acked")) == (MESSAGES, MESSAGES)
    assert len(ports(lost)) == 2 * MESSAGES - 1  # a dead flow and a new connection for each rest
    kept = run(tmp_path / "kept", "mqtt", qos=1, keepalive_s=20, clean_session=False)
    assert (logged(kept, "connected"), len(ports(kept))) == (1, 1)


def test_coap_needs_no_session_and_gets_a_port_for_each_message(tmp_path: Path) -> None:
    bundle = run(tmp_path, "coap")
    assert logged(bundle, "acked") == MESSAGES
    assert len(ports(bundle)) == MESSAGES


@pytest.mark.parametrize("cid", [True, False])
def test_dtls_survives_it_with_a_connection_id_alone(tmp_path: Path, cid: bool) -> None:
    peer = {"cid": True} if cid else {"peer": "libcoaps"}
    bundle = run(tmp_path, "coap", security="psk", **peer)
    assert logged(bundle, "acked") == (MESSAGES if cid else 1)
    assert logged(bundle, "secured") == 1


def test_it_repeats_byte_for_byte(tmp_path: Path) -> None:
    sums = [(run(tmp_path / name, "coap") / store.SUMS).read_bytes() for name in ("a", "b")]
    assert sums[0] == sums[1]
