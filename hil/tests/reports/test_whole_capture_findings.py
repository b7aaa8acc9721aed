"""Does a table say all that its reader must know, without standard error?

A table in a file or a pager lacks standard error (Wireshark has its Expert Information for it).
What is missing from a capture stands above the metrics.
"""

from hil.tests.reports import mqtt
from hil.tests.reports.wire import Wire


def test_what_is_missing_stands_above_the_metrics(analyze):
    wire = Wire()
    session = mqtt.connect(wire)
    for number in range(1, 6):
        mqtt.publish(session, number)
    session.next[True] += 30
    mqtt.publish(session, 6)
    session.up(mqtt.message(7))
    run = analyze(wire)
    missing, torn = (row["finding"] for row in run.json["findings"][::-1])
    assert missing.startswith("TCP segments are missing from the capture (")
    assert torn.startswith("it ends before 1 message or segment of its last exchanges was answered")
    assert run.warnings == [torn, missing]
    above, messages, _ = run.text.partition("\nmessages ")
    assert missing in above and torn in above
    assert messages


def test_nothing_is_said_of_a_whole_capture(analyze):
    wire = Wire()
    session = mqtt.connect(wire)
    for number in range(1, 6):
        mqtt.publish(session, number)
    session.close()
    run = analyze(wire)
    assert (run.json["findings"], run.warnings) == ([], [])
    assert "may distort" not in run.text
