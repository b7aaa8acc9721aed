"""Do answers find their requests where identifiers or orders could be mistaken?

Kin of php-amqp #547 (channels): HTTP answers pipelined requests in their order (RFC 9112, 9.3.2);
each direction and each session of MQTT has packet identifiers of its own (MQTT 3.1.1, 2.3.1).
"""

from hil.tests.reports.wire import Wire

MQTT_CONNECT = bytes.fromhex("100d00044d51545404020000000164")


def test_pipelined_requests_of_http(analyze):
    wire = Wire()
    connection = wire.connect(80)
    for path in (b"a", b"b", b"c"):
        connection.up(b"GET /" + path + b" HTTP/1.1\r\nHost: x\r\n\r\n", 0.01)
    for wait_s in (0.1, 0.2, 0.3):
        wire.now_s += wait_s
        connection.down(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 0.0)
    run = analyze(wire, "--by", "topic")
    assert [round(run.metric("response_mean_ms", path) or 0) for path in ("/a", "/b", "/c")] == [
        130,
        320,
        610,
    ]


def test_equal_identifiers_of_both_directions_and_of_two_sessions(analyze):
    wire = Wire()
    for session in range(2):
        connection = wire.connect(1883, own=50000 + session)
        connection.up(MQTT_CONNECT)
        for identifier in (b"\0\1", b"\0\2"):
            connection.up(b"\x32\6\0\1u" + identifier + b"x", 0.01)
            connection.down(b"\x32\6\0\1d" + identifier + b"x", 0.01)
            connection.up(b"\x40\2" + identifier, 0.01)
            connection.down(b"\x40\2" + identifier, 0.5)
    up, down = analyze(wire, "--topic", "u"), analyze(wire, "--topic", "d")
    assert (up.metric("request_ack_mean_ms"), up.n("request_ack_mean_ms")) == (30, 4)
    assert (down.metric("request_ack_mean_ms"), down.n("request_ack_mean_ms")) == (10, 4)
