"""OSCORE on the board lx106 before aiocoap: what a loss of power costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.tests.support.uml import bundle_of

pytestmark = pytest.mark.lab

LOST = {
    **{"protocol": "oscore", "confirmable": True, "payload_bytes": 30, "interval_ms": 500},
    **{"link": "netem", "delay_ms": 2, "jitter_ms": 0, "loss_pct": 0, "duration_s": 12},
    "faults": [{"kind": "device_reset", "at_s": 4.35}],
}


def events(bundle: Path, log: str) -> list[str]:
    """Return the kinds of a log's lines."""
    return [json.loads(line)["ev"] for line in (bundle / log).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("rederive", [True, False])
def test_a_device_that_lost_its_number_needs_a_new_context(rederive: bool, tmp_path: Path) -> None:
    given = effective(LOST | {"rederive": rederive}, "oscore")
    bundle = bundle_of(Trial("oscore", {"protocol": "oscore"}, 1, given), tmp_path)
    board = events(bundle, "board.jsonl")
    reset = board.index("boot", 1)
    # Without one, each number is refused as a replay until it exceeds those before the loss.
    refused = 0 if rederive else board[:reset].count("acked")
    assert board.count("failed") == refused
    assert board[reset:].count("acked") > 0
    assert events(bundle, "server.jsonl").count("received") == board.count("sent") - refused
