"""Do later messages count as retransmissions behind a RST that the other side challenged?

A RST in the window whose number is not the next one is answered by an acknowledgement, and the
connection goes on (RFC 5961, 3.2): micropython #15844 and lwIP. tshark expects what follows the
number of the RST.
"""

import pytest

from hil.tests.reports import mqtt
from hil.tests.reports.wire import Wire
from hil.tests.support import frames


@pytest.mark.parametrize("size", [50, 4000])
def test_a_session_goes_on_behind_a_challenged_reset(analyze, size):
    wire = Wire()
    session = mqtt.connect(wire)
    for number in range(1, 11):
        mqtt.publish(session, number, size)
        if number == 4:
            strange = session.next[True] + 500
            session.segment(True, flags=frames.RST, sequence=strange, acknowledged=0)
            session.acknowledge(False)
    session.close()
    run = analyze(wire)
    assert (run.metric("messages"), run.n("request_ack_mean_ms")) == (10, 10)
    assert (run.metric("retransmissions"), run.metric("conversations")) == (0, 1)
    assert (run.metric("unseen_segments"), run.metric("device_crashes")) == (0, 0)
