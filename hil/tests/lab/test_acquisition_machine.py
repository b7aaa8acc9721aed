"""Does the board ask a real network for its address, its server's name and the time?"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hil.base.paths import ROOT
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.selfcheck import determinism
from hil.tests.support.uml import bundle_of

pytestmark = pytest.mark.lab

QUIET = determinism.TRIAL | {"protocol": "mqtt", "qos": 1, "duration_s": 0, "jitter_ms": 0}
SLEEPER = {"deep_sleep": True, "connection_messages": 1, "messages": 3, "interval_ms": 4000}


def run(folder: Path, **parameters: Any) -> Path:
    """Run a trial; return its bundle."""
    given = effective(QUIET | SLEEPER | {"loss_pct": 0} | parameters, "acquisition")
    return bundle_of(Trial("acquisition", {"protocol": "mqtt"}, 1, given), folder)


def events(bundle: Path, kind: str) -> list[dict[str, Any]]:
    lines = (bundle / "board.jsonl").read_text(encoding="utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["ev"] == kind]


def column(bundle: Path, wanted: str, field: str) -> list[str]:
    """A field of the packets that a filter of tshark chooses."""
    command = [ROOT / "workflow/wireshark/dissect", bundle / "wire.pcapng.gz", "-Y", wanted]
    command += ["-T", "fields", "-e", field]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


# DHCP's message types: 1 DISCOVER, 2 OFFER, 3 REQUEST, 5 ACK.
FULL = ["1", "2", "3", "5"]


def test_each_waking_leases_an_address_anew(tmp_path):
    bundle = run(tmp_path, address_assignment="dhcp")
    assert column(bundle, "dhcp", "dhcp.option.dhcp") == FULL * 3
    assert [event["lease"] for event in events(bundle, "leased")] == ["new"] * 3


def test_a_waking_asks_for_its_last_address_by_one_request(tmp_path):
    bundle = run(tmp_path, address_assignment="cached")
    assert column(bundle, "dhcp", "dhcp.option.dhcp") == [*FULL, "3", "5", "3", "5"]
    # INIT-REBOOT: the requested address is an option, and no server is named (RFC 2131, 4.3.2).
    again = "dhcp.option.dhcp == 3 && !dhcp.option.dhcp_server_id"
    assert column(bundle, again, "dhcp.option.requested_ip_address") == ["10.77.1.1"] * 2
    assert [event["lease"] for event in events(bundle, "leased")] == ["new", "kept", "kept"]


def test_name_and_time_come_before_the_connection(tmp_path):
    bundle = run(tmp_path, name_resolution="dns", clock_sync="sntp", security="chain")
    asked = column(bundle, "dns.flags.response == 0", "dns.qry.name")
    assert asked == ["server.thinwire.test", "time.thinwire.test"] * 3
    assert [event["ip"] for event in events(bundle, "resolved")] == ["10.77.0.1"] * 3
    # The time goes on from one waking to the next as the schedule does.
    times = [event["utc_s"] for event in events(bundle, "clock_set")]
    assert times[0] in range(1577836800, 1577836803)
    assert [later - times[0] for later in times] == pytest.approx([0, 4, 8], abs=5)
    assert len(events(bundle, "acked")) == 3


def test_what_is_lost_is_asked_again(tmp_path):
    bundle = run(
        tmp_path, address_assignment="dhcp", name_resolution="dns", outage_spans_s=[[0, 3]]
    )
    first, *later = events(bundle, "leased")
    assert first["t"] > 2e6
    assert len(later) == 2 and events(bundle, "end")
