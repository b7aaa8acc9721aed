"""Does the router of a trial give the time by RFC 4330, and what its device uses, and no more?"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from hil.design import addressing
from hil.design.facts import Facts
from hil.peers.services import router, sntp

# Version 4, client; only the time of transmission is set, as lwIP's client sends it.
REQUEST = b"\x23" + bytes(39) + bytes.fromhex("e1b3ac0080000000")


def facts(**parameters: object) -> Facts:
    return Facts.of({"protocol": "mqtt", "link": "air"} | parameters)


def test_an_answer_holds_the_time_and_the_question() -> None:
    answer = sntp.answer(REQUEST, 1577836800_500_000)
    assert answer is not None and len(answer) == 48
    assert answer[0] == 4 << 3 | 4, "version 4, server, no leap second"
    assert answer[1] == 1, "stratum 0 would be a kiss of death"
    reference, originate, receive, transmit = struct.unpack(">4Q", answer[16:])
    assert originate == 0xE1B3AC0080000000
    # 2020-01-01T00:00:00.5Z, 3786825600.5 s after 1900.
    assert reference == receive == transmit == 3786825600 << 32 | 1 << 31


def test_seconds_begin_again_in_2036() -> None:
    assert sntp.stamp(2085978496_000_000) == 0
    assert sntp.stamp(2085978495_000_000) == 0xFFFFFFFF00000000


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"",
        REQUEST[:-1],
        b"\x24" + REQUEST[1:],  # a server's
        b"\x03" + REQUEST[1:],  # version 0
        b"\x2b" + REQUEST[1:],  # version 5
    ],
)
def test_what_is_no_question_gets_no_answer(request_bytes: bytes) -> None:
    assert sntp.answer(request_bytes, 0) is None


def test_a_long_request_is_answered_by_its_first_48_bytes() -> None:
    assert sntp.answer(REQUEST + bytes(20), 7) == sntp.answer(REQUEST, 7)


def test_dnsmasq_leases_the_boards_address_where_the_board_asks_for_one(tmp_path: Path) -> None:
    leasing = router.configuration(facts(address_assignment="dhcp"), tmp_path)
    assert f"dhcp-host={addressing.BOARD_MAC},{addressing.BOARD_IP}\n" in leasing
    resolving = router.configuration(facts(name_resolution="dns"), tmp_path)
    assert "dhcp" not in resolving
    assert f"host-record=server.thinwire.test,{addressing.SERVER_IP}\n" in resolving
