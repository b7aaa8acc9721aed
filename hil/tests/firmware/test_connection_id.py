"""DTLS with a connection ID (RFC 9146): the session outlives the device's address."""

from __future__ import annotations

import socket

import pytest

from hil.tests.support.tls import COAP, acked, air, device, only, terminated

MESSAGES = 8
WORDS = (*COAP, f"messages={MESSAGES}", "interval_ms=50")
HANDSHAKE = 4  # datagrams of the device: two ClientHello, its part, and the first message behind
CID = 25  # tls12_cid


def untouched(_from_server, _number, datagram):
    return [datagram]


@pytest.mark.parametrize("security", ["chain", "psk"])
def test_a_session_goes_on_from_another_port(security):
    kinds = set()

    def note(from_server, number, datagram):
        if not from_server and number >= HANDSHAKE:
            kinds.add(datagram[0])
        return [datagram]

    with terminated(security) as port, air(port, note, moves=HANDSHAKE + 2) as moved:
        events = device(moved, *WORDS, f"security={security}", "cid=1")
    assert (acked(events), len(only(events, "secured"))) == (MESSAGES, 1)
    assert kinds == {CID}


@pytest.mark.parametrize(("cid", "cid_bytes"), [(0, 4), (1, 0)])
def test_without_one_it_does_not(cid, cid_bytes):
    with (
        terminated("psk", cid_bytes) as port,
        air(port, untouched, moves=HANDSHAKE + 2) as moved,
    ):
        events = device(moved, *WORDS, "security=psk", f"cid={cid}", seconds=3)
    assert 0 < acked(events) < MESSAGES


def later(record: bytes) -> bytes:
    """A record with a higher number than any that was sent."""
    return record[:10] + b"\xf0" + record[11:]


@pytest.mark.parametrize("change", [bytes, later])
def test_nobody_else_draws_it_to_another_address(change):
    """Neither by a record that the server has, nor by a forged one."""
    heard: list[bytes] = []

    def attack(from_server, _number, datagram):
        for record in heard:
            other.sendto(change(record), ("127.0.0.1", port))
        if not from_server and datagram[0] == CID:
            heard.append(datagram)
        return [datagram]

    with (
        socket.socket(type=socket.SOCK_DGRAM) as other,
        terminated("psk") as port,
        air(port, attack) as watched,
    ):
        events = device(watched, *WORDS, "security=psk", "cid=1")
        assert len(heard) >= MESSAGES
        assert acked(events) == MESSAGES
        other.setblocking(False)
        with pytest.raises(BlockingIOError):
            other.recv(1)
