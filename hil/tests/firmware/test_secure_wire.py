"""TLS and DTLS on the device over a wire that cuts, changes, repeats and reorders."""

from __future__ import annotations

from hil.tests.support.tls import (
    CHAIN,
    COAP,
    MQTT,
    acked,
    air,
    at_record,
    broker,
    cut,
    device,
    flip,
    libcoap,
    only,
    openssl,
    refused,
    wire,
)


def test_a_handshake_that_is_cut_is_no_connection():
    for last in range(4):
        with openssl() as port, wire(port, at_record(last, cut)) as tampered:
            assert refused(tampered, *CHAIN) in {"handshake_cut", "reset"}


def test_a_handshake_that_was_changed_is_no_connection():
    key_exchange = at_record(2, lambda record: [flip(record)])
    with openssl() as port, wire(port, key_exchange) as tampered:
        assert refused(tampered, *CHAIN) == "bad_signature"


def application(events_wanted, tamper, tmp_path):
    """Why the device loses a connection over a wire that tampers with records of the
    broker's application data."""
    seen: list[bytes] = []

    def only_data(from_server, _number, record):
        if not from_server or record[0] != 23:
            return [record]
        seen.append(record)
        return tamper(len(seen), record)

    words = (*MQTT, "messages=5", "interval_ms=50", "security=chain")
    with broker(tmp_path) as port, wire(port, only_data) as tampered:
        events = device(tampered, *words, until=events_wanted)
    return str(only(events, "disconnected")[0]["reason"]), events


def test_a_changed_record_ends_the_connection(tmp_path):
    reason, _ = application(
        "disconnected", lambda n, record: [flip(record) if n == 3 else record], tmp_path
    )
    assert reason == "bad_record_mac"


def test_a_repeated_record_ends_the_connection(tmp_path):
    reason, events = application(
        "disconnected", lambda n, record: [record, record] if n == 3 else [record], tmp_path
    )
    assert reason == "bad_record_mac"
    assert acked(events) == 2


def test_records_in_another_order_end_the_connection(tmp_path):
    held: list[bytes] = []

    def swap(number, record):
        if number == 2:
            held.append(record)
            return []
        return [record, *held] if number == 3 else [record]

    reason, events = application("disconnected", swap, tmp_path)
    assert reason == "bad_record_mac"
    assert acked(events) == 0


def test_a_stream_that_ends_without_goodbye_is_told(tmp_path):
    reason, _ = application(
        "disconnected", lambda n, record: None if n == 3 else [record], tmp_path
    )
    assert reason == "truncated"


def test_repeated_and_reordered_datagrams_change_nothing():
    def twice(_from_server, _number, datagram):
        return [datagram, datagram]

    held: list[bytes] = []

    def late(from_server, number, datagram):
        if from_server and number == 8:
            held.append(datagram)
        return [*held, datagram] if from_server and number == 9 else [datagram]

    for tamper in (twice, late):
        with libcoap("openssl", "psk") as port, air(port, tamper) as tampered:
            events = device(tampered, *COAP, "security=psk")
        assert acked(events) == 3, events
        assert len(only(events, "secured")) == 1


def test_lost_datagrams_of_a_handshake_are_sent_again():
    def lose(_from_server, number, datagram):
        return [] if number == 1 else [datagram]

    with libcoap("openssl", "psk") as port, air(port, lose) as tampered:
        events = device(tampered, *COAP, "security=psk", seconds=15)
    assert acked(events) == 3
