"""Does a trial with a load end once the device has all waiting messages, or at its limit?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.rig.drain import Drain
from hil.tests.support import peers
from hil.tests.support.uml import bundle_of

TAKEN = b'{"t":1,"ev":"received","seq":1}\n'


@pytest.mark.parametrize(
    ("parameters", "taken_s", "end_s"),
    [
        ({}, (), 10),
        ({"drain_s": 60}, (), 12),
        ({"drain_s": 60}, (9.5,), 12),
        ({"drain_s": 60}, (9.5, 11, 12.75), 14.75),
        ({"drain_s": 60}, tuple(range(9, 100)), 70),
        ({"drain_s": 1}, (10,), 11),
    ],
    ids=["none asked for", "empty", "empty soon", "two late", "never empty", "shorter than quiet"],
)
def test_the_end_waits_for_the_last_message_or_the_limit(
    parameters: dict[str, int], taken_s: tuple[float, ...], end_s: float
) -> None:
    drain = Drain(Facts("mqtt", "air", 30, 100, **parameters))
    now_s = 9.0
    while True:  # as the rig looks: each quarter of a second, the load is over from 10 s on
        drain.notice(TAKEN if now_s in taken_s else b'{"t":1,"ev":"stat"}\n', now_s)
        if now_s >= 10 and drain.done(now_s):
            break
        now_s += 0.25
    assert now_s == end_s


@pytest.mark.lab
def test_all_that_waits_at_the_broker_reaches_a_slow_device(tmp_path: Path) -> None:
    """Twelve messages in a second, each of which the device processes in 0.3 s: 3.6 s."""
    given = {"protocol": "mqtt", "role": "subscribe", "qos": 1, "clients": 6, "messages": 2}
    given |= {"payload_bytes": 32, "interval_ms": 1000, "link": "netem", "duration_s": 30}
    given |= {"start_spread_ms": 0, "broker_in_flight": 1, "processing_ms": 300, "drain_s": 20}
    made = bundle_of(Trial("drain", {}, 1, effective(given, "drain")), tmp_path)
    board = peers.lines(made / "board.jsonl")
    assert sum(line["ev"] == "received" for line in board) == 12
