"""TLS 1.3 on the device, before servers of OpenSSL and mosquitto: what it accepts, resumes, and
refuses, and why."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from hil.tests.support import tls
from hil.tests.support.tls import (
    BAD_CERTIFICATES,
    CHAIN,
    MQTT,
    PSK_IDENTITY,
    PSK_KEY,
    TCP,
    Event,
    acked,
    at_record,
    broker,
    cut,
    device,
    flip,
    free_port,
    mosquitto,
    only,
    openssl,
    refused,
    server,
    wire,
)

NEW = ("tls_version=13",)
TWO = (*MQTT, "messages=2", *NEW)
EACH = (*TWO, "resume=1", "connection_messages=1")
SHARED = ("-psk", PSK_KEY, "-psk_identity", PSK_IDENTITY)


def resumed(events: list[Event]) -> list[object]:
    """Whether each session, of TLS 1.3, resumed an earlier one."""
    assert {event["version"] for event in only(events, "secured")} == {"TLS1.3"}
    return tls.resumed(events)


# ---- what is accepted ----


@pytest.mark.parametrize("kind", ["ec", "rsa"])
@pytest.mark.parametrize("security", ["chain", "pinned"])
def test_a_known_server_is_accepted(kind, security):
    with openssl(leaf=f"{kind}/server") as port:
        events = device(port, *TCP, *NEW, f"security={security}")
    assert resumed(events) == [0]
    assert len(only(events, "sent")) == 3


@pytest.mark.parametrize(("options", "dhe"), [((), 1), (("-allow_no_dhe_kex",), 0)])
def test_a_shared_key_with_and_without_a_key_exchange(options, dhe):
    sizes: list[int] = []

    def note(from_server, number, record):
        if from_server and number == 0:  # ServerHello
            sizes.append(len(record))
        return [record]

    with openssl(*SHARED, *options, leaf="") as port, wire(port, note) as noted:
        events = device(noted, *TCP, *NEW, "security=psk", f"psk_dhe={dhe}")
    assert resumed(events) == [0]
    assert sizes == [134 if dhe else 61]  # with a point of P-256, or without


def test_a_server_that_wants_a_key_exchange_gets_no_other():
    with openssl(*SHARED, leaf="") as port:
        assert refused(port, *TCP, *NEW, "security=psk", "psk_dhe=0") == "peer_missing_extension"


@pytest.mark.parametrize("security", ["chain", "pinned"])
def test_a_server_that_asks_for_its_cookie_gets_it(security):
    """RFC 8446, section 4.2.2: in a second ClientHello, after a HelloRetryRequest."""
    retry = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
    first: list[bytes] = []

    def note(from_server, number, record):
        if from_server and number == 0:
            first.append(record)
        return [record]

    with openssl("-stateless") as port, wire(port, note) as noted:
        events = device(noted, *TCP, *NEW, f"security={security}")
    assert resumed(events) == [0]
    assert [retry in record for record in first] == [True]


def test_a_broker_that_wants_a_certificate_gets_one(tmp_path):
    with broker(tmp_path, "chain", "require_certificate true") as port:
        assert acked(device(port, *TWO, "security=chain", "own_certificate=1")) == 2
        # The server looks at it after the handshake.
        events = device(port, *TWO, "security=chain", until="disconnected")
    assert only(events, "disconnected")[0]["reason"] == "peer_certificate_required"
    assert acked(events) == 0


@pytest.mark.parametrize(
    "words", [("security=chain",), ("security=pinned",), ("security=chain", "own_certificate=1")]
)
def test_a_ticket_resumes_a_session(words, tmp_path):
    with broker(tmp_path) as port:
        events = device(port, *EACH, *words)
    assert (resumed(events), acked(events)) == ([0, 1], 2)


def test_a_ticket_takes_the_place_of_a_shared_key(tmp_path):
    with broker(tmp_path, "psk") as port:
        events = device(port, *EACH, "security=psk")
    assert (resumed(events), acked(events)) == ([0, 1], 2)


@pytest.mark.parametrize("security", ["chain", "psk"])
def test_a_server_that_has_forgotten_its_tickets_is_known_anew(security, tmp_path):
    """By its certificate at once, by the shared key at the next try."""
    port = free_port()
    argv = mosquitto(tmp_path, port, security)
    with ExitStack() as servers:
        first = servers.enter_context(server(argv, port))

        def restart(from_server, number, record):
            # behind ClientHello, Finished, CONNECT and the first message: DISCONNECT
            if not from_server and number == 4 and not restarted.is_set():
                first.kill()
                first.wait()
                servers.enter_context(server(argv, port))
                restarted.set()
            return [record]

        restarted = threading.Event()
        with wire(port, restart) as restarting:
            events = device(restarting, *EACH, f"security={security}")
    assert restarted.is_set()
    assert (resumed(events), acked(events)) == ([0, 0], 2)


def test_messages_larger_than_a_record_arrive_whole(tmp_path):
    with broker(tmp_path) as port:
        assert acked(device(port, *TWO, "security=chain", "payload_bytes=1440")) == 2


# ---- what is refused, and why ----


@pytest.mark.parametrize(("leaf", "reason"), BAD_CERTIFICATES)
def test_a_bad_certificate_is_refused(leaf, reason):
    with openssl(leaf=leaf) as port:
        assert refused(port, *CHAIN, *NEW) == reason


def test_another_key_than_the_pinned_one_is_refused():
    with openssl(leaf="ec/wrong_key") as port:
        assert refused(port, *TCP, *NEW, "security=pinned") == "wrong_key"


def test_another_shared_key_is_refused():
    with openssl("-psk", "00" * 16, "-psk_identity", PSK_IDENTITY, leaf="") as port:
        assert refused(port, *TCP, *NEW, "security=psk") == "peer_illegal_parameter"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("-tls1_2",), "peer_wrong_version"),
        (("-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"), "peer_handshake_failure"),
        (("-groups", "P-384"), "peer_handshake_failure"),
    ],
)
def test_a_server_without_common_ground_is_refused(options, reason):
    with openssl(*options) as port:
        assert refused(port, *CHAIN, *NEW) == reason


def changed_hello(change: Callable[[bytes], bytes]) -> str:
    """Why the device refuses a server whose ServerHello was changed on the way."""
    tamper = at_record(0, lambda hello: [change(hello)])
    with openssl() as port, wire(port, tamper) as tampered:
        return refused(tampered, *CHAIN, *NEW)


def without_version(hello: bytes) -> bytes:
    """As a server of TLS 1.2 or an older one answers: without supported_versions."""
    rest = hello[EXTENSION:].replace(b"\0\x2b\0\2\3\4", b"")
    body = hello[9 : EXTENSION - 2] + len(rest).to_bytes(2, "big") + rest
    handshake = hello[5:6] + len(body).to_bytes(3, "big") + body
    return hello[:3] + len(handshake).to_bytes(2, "big") + handshake


# Record and handshake header, version, random and no session identifier come before.
SUITE = 5 + 4 + 2 + 32 + 1
EXTENSION = SUITE + 2 + 1 + 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        # TLS 1.2 in the place of 1.3, as no server says it and as one would
        (lambda hello: hello.replace(b"\0\x2b\0\2\3\4", b"\0\x2b\0\2\3\3"), "illegal_parameter"),
        (without_version, "illegal_parameter"),
        (lambda hello: hello[:9] + b"\x03\x02" + hello[11:], "wrong_version"),
        # a suite that was not offered
        (lambda hello: hello[:SUITE] + b"\x13\x02" + hello[SUITE + 2 :], "illegal_parameter"),
        # another key share: nothing that follows can be read
        (lambda hello: hello[:11] + bytes([hello[11] ^ 1]) + hello[12:], "bad_record_mac"),
    ],
)
def test_a_downgrade_is_refused(change, reason):
    assert changed_hello(change) == reason


def test_a_handshake_that_is_cut_is_no_connection():
    for last in range(5):
        with openssl() as port, wire(port, at_record(last, cut)) as tampered:
            assert refused(tampered, *CHAIN, *NEW) in {"handshake_cut", "reset"}


@pytest.mark.parametrize("number", range(2, 6))  # up to the server's Finished
def test_a_handshake_that_was_changed_is_no_connection(number):
    change = at_record(number, lambda record: [flip(record)])
    with openssl() as port, wire(port, change) as tampered:
        assert refused(tampered, *CHAIN, *NEW) == "bad_record_mac"


@pytest.mark.parametrize(
    ("tamper", "reason"),
    [
        (lambda record: [flip(record)], "bad_record_mac"),
        (lambda record: [record, record], "bad_record_mac"),
        (lambda record: None, "truncated"),
    ],
)
def test_a_record_that_was_changed_repeated_or_cut_ends_the_connection(tamper, reason, tmp_path):
    fourth = at_record(6 + 3, tamper)  # behind the handshake (6), two tickets and CONNACK
    with broker(tmp_path) as port, wire(port, fourth) as tampered:
        words = (*TWO, "security=chain", "messages=5", "interval_ms=50")
        events = device(tampered, *words, until="disconnected")
    assert only(events, "disconnected")[0]["reason"] == reason


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("proto=coap", "security=chain"), "tls_version"),
        (("proto=mqtt", "security=chain", "record_bytes=512"), "record_bytes"),
        (("proto=mqtt", "security=chain", "tls_version=14"), "tls_version"),
    ],
)
def test_what_cannot_be_secured_as_asked_is_a_configuration_error(words, key):
    assert only(device(1, *NEW, *words), "config_error")[0]["key"] == key
