"""TLS and DTLS on the device, before servers of OpenSSL, GnuTLS and mosquitto: what it accepts,
and what it refuses and why."""

from __future__ import annotations

import pytest

from hil.tests.support.tls import (
    BAD_CERTIFICATES,
    CHAIN,
    COAP,
    MQTT,
    PSK_IDENTITY,
    TCP,
    acked,
    air,
    at_record,
    broker,
    device,
    flip,
    libcoap,
    only,
    openssl,
    openssl_dtls,
    refused,
    resumed,
    wire,
)

# ---- what is accepted ----


@pytest.mark.parametrize("kind", ["ec", "rsa"])
@pytest.mark.parametrize("security", ["chain", "pinned"])
def test_a_known_server_is_accepted(kind, security):
    with openssl(leaf=f"{kind}/server") as port:
        events = device(port, *TCP, f"security={security}")
    assert len(only(events, "secured")) == 1
    assert len(only(events, "sent")) == 3
    assert not only(events, "failed")


def test_a_broker_that_wants_a_certificate_gets_one(tmp_path):
    with broker(tmp_path, "chain", "require_certificate true") as port:
        assert acked(device(port, *MQTT, "security=chain", "own_certificate=1")) == 3
    with openssl("-Verify", "1") as port:
        assert refused(port, *CHAIN) == "peer_handshake_failure"


def test_a_broker_with_a_shared_key(tmp_path):
    with broker(tmp_path, "psk") as port:
        assert acked(device(port, *MQTT, "security=psk")) == 3


def test_messages_larger_than_a_record_arrive_whole(tmp_path):
    with broker(tmp_path) as port:
        events = device(port, *MQTT, "security=chain", "payload_bytes=1440", "record_bytes=512")
    assert acked(events) == 3


def test_a_second_connection_resumes_the_session(tmp_path):
    def end_early(from_server, number, record):
        return None if not from_server and number == 6 else [record]

    words = (*MQTT, "messages=40", "interval_ms=50", "security=chain", "keepalive_s=1")
    with broker(tmp_path) as port, wire(port, end_early) as tampered:
        again = device(tampered, *words, "resume=1", seconds=5)
        anew = device(tampered, *words, "resume=0", seconds=5)
    assert resumed(again)[:2] == [0, 1]
    assert resumed(anew)[:2] == [0, 0]


@pytest.mark.parametrize("library", ["openssl", "gnutls"])
@pytest.mark.parametrize("security", ["chain", "pinned", "psk"])
def test_coap_over_dtls(library, security):
    with libcoap(library, security) as port:
        events = device(port, *COAP, f"security={security}", "own_certificate=0")
    assert [event["version"] for event in only(events, "secured")] == ["DTLS1.2"]
    assert acked(events) == 3


# ---- what is refused, and why ----


@pytest.mark.parametrize(("leaf", "reason"), BAD_CERTIFICATES)
def test_a_bad_certificate_is_refused(leaf, reason):
    with openssl(leaf=leaf) as port:
        assert refused(port, *CHAIN) == reason


def test_a_device_whose_clock_is_wrong_refuses_what_has_ended():
    with openssl() as port:
        assert refused(port, *CHAIN, "utc_s=4294967295") == "certificate_expired"


def test_another_key_than_the_pinned_one_is_refused():
    with openssl(leaf="ec/wrong_key") as port:
        assert refused(port, *TCP, "security=pinned") == "wrong_key"


@pytest.mark.parametrize(("leaf", "reason"), BAD_CERTIFICATES)
def test_a_bad_certificate_is_refused_over_dtls(leaf, reason):
    with openssl_dtls(leaf=leaf) as port:
        assert refused(port, *COAP, "security=chain") == reason


def test_another_key_than_the_pinned_one_is_refused_over_dtls():
    with openssl_dtls(leaf="ec/wrong_key") as port:
        assert refused(port, *COAP, "security=pinned") == "wrong_key"


def test_a_changed_signature_is_refused_over_dtls():
    def change(from_server, _number, datagram):
        if not from_server:
            return [datagram]
        pieces = []
        while datagram:  # a flight of records (RFC 6347, section 4.1)
            size = 13 + int.from_bytes(datagram[11:13], "big")
            record, datagram = datagram[:size], datagram[size:]
            key_exchange = record[0] == 22 and record[13] == 12  # it ends in the signature
            pieces.append(flip(record) if key_exchange else record)
        return pieces

    with openssl_dtls() as port, air(port, change) as tampered:
        assert refused(tampered, *COAP, "security=chain") == "bad_signature"


def test_another_shared_key_is_refused_over_dtls():
    """OpenSSL drops a record that it cannot open without a word (RFC 6347, section 4.1.2.7)."""
    with openssl_dtls("-psk", "00" * 16, "-psk_identity", PSK_IDENTITY, leaf="") as port:
        events = device(port, *COAP, "security=psk", until="disconnected", seconds=30)
    assert not only(events, "secured")
    assert only(events, "disconnected")[0]["reason"] == "connect_timeout"


def test_another_shared_key_is_refused(tmp_path):
    with broker(tmp_path, "psk", key="00" * 16) as port:
        reason = refused(port, "proto=mqtt", "security=psk")
    assert reason in {"peer_bad_record_mac", "peer_decrypt_error"}  # by OpenSSL's version


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("-tls1_3",), "peer_wrong_version"),
        (("-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305"), "peer_handshake_failure"),
    ],
)
def test_a_server_without_common_ground_is_refused(options, reason):
    with openssl(*options) as port:
        assert refused(port, *CHAIN) == reason


def test_an_older_version_is_refused():
    def downgrade(hello):  # to TLS 1.1
        return [hello[:9] + b"\x03\x02" + hello[11:]]

    with openssl() as port, wire(port, at_record(0, downgrade)) as tampered:
        assert refused(tampered, *CHAIN) == "wrong_version"


@pytest.mark.parametrize(
    "suite", [b"\x00\x2f", b"\x00\xa8"]
)  # one that the device has not, one it has
def test_a_cipher_that_was_not_offered_is_refused(suite):
    def downgrade(hello):
        at = 5 + 4 + 2 + 32  # behind the random and the session's identifier
        at += 1 + hello[at]
        return [hello[:at] + suite + hello[at + 2 :]]

    with openssl() as port, wire(port, at_record(0, downgrade)) as tampered:
        assert refused(tampered, *CHAIN) == "illegal_parameter"


# ---- what the device says of itself ----


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("proto=coap", "role=serve", "security=psk"), "security"),
        (("proto=mqttsn", "search=1", "security=psk"), "search"),
        (("proto=mqtt", "security=chain", "record_bytes=1000"), "record_bytes"),
        (("proto=mqtt", "security=psk", "own_certificate=1"), "own_certificate"),
    ],
)
def test_what_cannot_be_secured_as_asked_is_a_configuration_error(words, key):
    events = device(1, *words)
    assert only(events, "config_error")[0]["key"] == key
