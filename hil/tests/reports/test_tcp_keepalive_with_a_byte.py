"""Is the byte of a TCP keep-alive workload?

A keep-alive repeats the number before the next one, with or without a byte of garbage; neither
belongs to the stream (RFC 9293, 3.8.4). PcapPlusPlus #1594, tcpflow #253, ntopng #1711, contiki
#558: Windows sends the byte.
"""

import pytest

from hil.tests.reports import mqtt
from hil.tests.reports.wire import Wire
from hil.tests.support import frames


@pytest.mark.parametrize("garbage", [b"", b"\0"])
def test_a_keep_alive_is_of_the_session(analyze, garbage):
    wire = Wire()
    session = mqtt.connect(wire)
    for number in range(1, 6):
        mqtt.publish(session, number)
        for _ in range(3):
            wire.now_s += 2
            last = session.next[True] - 1
            session.segment(True, garbage, flags=frames.ACK, sequence=last)
            session.acknowledge(False)
    session.close()
    run = analyze(wire)
    accounts = ("header", "link", "network", "transport", "payload")
    held = [run.metric(f"ledger_{account}_bytes") for account in accounts]
    assert held == [5 * size for size in (9, 14, 20, 20, 50)]
    assert (run.metric("messages"), run.metric("retransmissions")) == (5, 0)
    assert (run.warnings, run.metric("unseen_segments")) == ([], 0)
