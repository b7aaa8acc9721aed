"""Are the handshakes of TLS 1.3 those of "Comparison of CoAP Security Protocols" (Fig. 2), to the
byte, for the same options? What the device and OpenSSL put in beyond these is taken off by name."""

from __future__ import annotations

import csv

import pytest

from hil.base.paths import ROOT
from hil.tests.support.tls import PSK_IDENTITY, PSK_KEY, TCP, device, openssl, wire

PUBLISHED = ROOT / "data/published/mattsson2023.csv"
HEADER, CONTENT_TYPE, TAG = 5, 1, 16  # of a record; AES-128-GCM's tag, 8 there (AES-128-CCM-8)
SHORT_TAG = 8
CHANGE_CIPHER_SPEC, HANDSHAKE = 20, 22
# Extensions that the draft counts: pre_shared_key, supported_versions, psk_key_exchange_modes, and
# with ECDHE supported_groups and key_share.
KEY = {41, 43, 45}
ECDHE = {10, 51}
LONGER_POINT = 65 - 32  # P-256 here, X25519 there


def flights(dhe: bool) -> list[list[bytes]]:
    """The records of a handshake with a pre-shared key: from the device, from the server, and from
    the device again; without those of the change of cipher, sent for middleboxes."""
    sent: dict[bool, list[bytes]] = {True: [], False: []}

    def note(from_server, _number, record):
        if record[0] != CHANGE_CIPHER_SPEC:
            sent[from_server].append(record)
        return [record]

    shared = ("-psk", PSK_KEY, "-psk_identity", PSK_IDENTITY, "-allow_no_dhe_kex")
    least = ("-num_tickets", "0", "-groups", "P-256")  # with more it lists them, encrypted
    with openssl(*shared, *least, leaf="") as port, wire(port, note) as noted:
        device(noted, *TCP, "tls_version=13", "security=psk", f"psk_dhe={int(dhe)}")
    mine, theirs = sent[False], sent[True]
    clear = [record[0] == HANDSHAKE for record in mine + theirs]
    assert clear.count(True) == 2, "a ClientHello and a ServerHello"
    return [mine[:1], theirs[:3], mine[1:2]]


def extensions(hello: bytes, at: int) -> dict[int, int]:
    """Sizes of the extensions of a hello whose list of them begins there, by type."""
    found, at = {}, at + 2
    while at < len(hello):
        size = 4 + int.from_bytes(hello[at + 2 : at + 4], "big")
        found[int.from_bytes(hello[at : at + 2], "big")] = size
        at += size
    return found


def client_hello(record: bytes, dhe: bool) -> int:
    """Its bytes with the draft's options: one suite, one group, a key's name of one byte."""
    at = HEADER + 4 + 2 + 32 + 1  # behind an empty session identifier
    suites = int.from_bytes(record[at : at + 2], "big")
    wanted = KEY | (ECDHE if dhe else set())
    offered = extensions(record, at + 2 + suites + 2)
    assert wanted <= set(offered)
    more = sum(size for kind, size in offered.items() if kind not in wanted)
    more += (suites - 2) + (len(PSK_IDENTITY) - 1) + (LONGER_POINT if dhe else 0)
    return len(record) - more


def sealed(records: list[bytes]) -> int:
    """Bytes of records with the short tag, all in one record."""
    return (
        HEADER
        + CONTENT_TYPE
        + SHORT_TAG
        + sum(len(record) - HEADER - CONTENT_TYPE - TAG for record in records)
    )


@pytest.mark.parametrize(("row", "dhe"), [("TLS 1.3 PSK", False), ("TLS 1.3 PSK + ECDHE", True)])
def test_the_published_bytes_with_the_published_options(row, dhe):
    with PUBLISHED.open(encoding="utf-8") as file:
        published = {
            line["column"]: int(line["value"])
            for line in csv.DictReader(file)
            if (line["location"], line["row"]) == ("Fig. 2", row)
        }
    [hello], [answer, *encrypted], finished = flights(dhe)
    ours = {
        "flight_1": client_hello(hello, dhe),
        "flight_2": len(answer) - (LONGER_POINT if dhe else 0) + sealed(encrypted),
        "flight_3": sealed(finished),
    }
    assert ours | {"total": sum(ours.values())} == published
