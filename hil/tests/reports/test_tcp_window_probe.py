"""Is a byte that probes a closed window lost, or counted twice?

A receiver without a window may take the byte of a probe (RFC 9293, 3.8.6.1): the next segment goes
on behind it. If it does not take it, the byte comes again. esp-idf #2425 and its kin.
"""

import pytest

from hil.peers.mqtt import codec
from hil.tests.reports import mqtt
from hil.tests.reports.wire import Wire
from hil.tests.support import frames


@pytest.mark.parametrize("taken", [True, False])
def test_a_window_probe_loses_and_adds_nothing(analyze, taken):
    wire = Wire()
    session = mqtt.connect(wire)
    for number in range(1, 7):
        wire.now_s = 10.0 * number
        data = mqtt.message(number)
        if number % 2:
            session.acknowledge(False, 1.0, window=0)
            start = session.next[True]
            session.segment(True, data[:1], sequence=None if taken else start)
            session.acknowledge(False, 1.0, window=0)
            session.acknowledge(False, 0.01)
            data = data[1:] if taken else data
        session.up(data)
        session.down(codec.acknowledge(codec.PUBACK, number), 0.005)
        session.segment(True, flags=frames.ACK)
    session.close()
    run = analyze(wire)
    assert (run.metric("messages"), run.n("request_ack_mean_ms")) == (6, 6)
    assert (run.warnings, run.metric("unseen_segments")) == ([], 0)
    assert run.metric("ledger_payload_bytes") == 6 * 50
    assert run.metric("ledger_header_bytes") == 6 * 9
