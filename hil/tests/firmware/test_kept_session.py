"""A session of TLS or DTLS in memory that outlives the device's restart: when it is resumed, and
when the handshake is the full one, and why. The device is a process, its memory a file."""

from __future__ import annotations

import hashlib
import socket
from pathlib import Path

import pytest

from hil.tests.support.tls import (
    COAP,
    TCP,
    acked,
    broker,
    device,
    libcoap,
    only,
    openssl,
    resumed,
)

ONE = ("proto=mqtt", "qos=1", "messages=1", "interval_ms=20", "resume=1")
CHAIN = (*ONE, "security=chain")
START_S = 1577836800
TICKET_S = 7200  # mosquitto's
MEMORY_AT, HEAD_BYTES, CHECK_BYTES = 128, 36, 8  # in the file; firmware/secure/resumption_record.h
SESSION_AT = MEMORY_AT + HEAD_BYTES


@pytest.fixture
def memory(tmp_path) -> Path:
    return tmp_path / "memory"


def start(port: int, memory: Path, *words: str, later_s: int = 0, **more):
    """The log of a start; its clock is set, as from a server of time."""
    clock = f"utc_s={START_S + later_s}"
    return device(port, clock, *words, f"memory={memory}", **more)


def came(events) -> str:
    """The result of loading a session from memory."""
    return str(only(events, "memory")[0]["session"])


@pytest.mark.parametrize("version", ["12", "13"])
@pytest.mark.parametrize("security", ["chain", "pinned", "psk"])
def test_a_restarted_device_resumes_its_session(tmp_path, memory, security, version):
    words = (*ONE, f"security={security}", f"tls_version={version}", "key_log=1")
    with broker(tmp_path, security) as port:
        runs = [start(port, memory, *words, later_s=60 * number) for number in range(3)]
    assert [came(run) for run in runs] == ["none", "recalled", "recalled"]
    assert [resumed(run) for run in runs] == [[0], [1], [1]]
    assert [acked(run) for run in runs] == [1, 1, 1]
    randoms = {str(line["line"]).split()[1] for run in runs for line in only(run, "keys")}
    assert len(randoms) == 3  # of one seed


def test_a_session_of_dtls_outlives_a_restart(memory):
    with libcoap("openssl", "psk") as port:
        runs = [start(port, memory, *COAP, "security=psk", "resume=1") for _ in range(2)]
    assert [resumed(run) for run in runs] == [[0], [1]]
    assert [acked(run) for run in runs] == [3, 3]


def test_a_device_that_sleeps_deeply_goes_on_where_it_was(tmp_path, memory):
    sleeper = (*CHAIN, "messages=3", "interval_ms=300", "connection_messages=1", "deep_sleep=1")
    with broker(tmp_path) as port:
        events = start(port, memory, *sleeper)
    assert [event["reason"] for event in only(events, "boot")] == ["start"] + ["deep_sleep"] * 2
    assert [event["seq"] for event in only(events, "acked")] == [1, 2, 3]
    assert resumed(events) == [0, 1, 1]
    times = [event["t"] for event in events]
    assert times == sorted(times)  # one clock over all starts
    assert only(events, "end")[0]["acked"] == 3


@pytest.mark.parametrize("at", [128, 132, 150, SESSION_AT, SESSION_AT + 100])
def test_damaged_memory_is_not_believed(tmp_path, memory, at):
    with broker(tmp_path) as port:
        start(port, memory, *CHAIN)
        kept = bytearray(memory.read_bytes())
        kept[at] ^= 0x10
        memory.write_bytes(kept)
        events = start(port, memory, *CHAIN)
    assert came(events) == ("none" if at == 128 else "damaged")
    assert resumed(events) == [0]
    assert acked(events) == 1


def with_ticket_of(memory: bytes, came_ms: int) -> bytes:
    """A memory file whose ticket has another time of receipt, with a valid check."""
    head, session = memory[MEMORY_AT:SESSION_AT], memory[SESSION_AT:]
    session = session[: int.from_bytes(head[-CHECK_BYTES - 4 : -CHECK_BYTES - 2])]
    times = [
        at
        for at in range(len(session) - 8)
        if 0 <= int.from_bytes(session[at : at + 8]) - 1000 * START_S < 60_000
    ]
    (at,) = times
    session = session[:at] + came_ms.to_bytes(8, signed=True) + session[at + 8 :]
    facts = head[:-CHECK_BYTES]
    check = hashlib.sha256(facts + session).digest()[:CHECK_BYTES]
    return memory[:MEMORY_AT] + facts + check + session + memory[SESSION_AT + len(session) :]


@pytest.mark.parametrize(
    ("came_ms", "reason"),
    [
        (-(2**63), "unreadable"),
        (-1, "unreadable"),
        (1000 * START_S + 10**6, "clock_went_back"),
        (2**63 - 1, "clock_went_back"),
    ],
)
def test_a_ticket_that_came_never_is_not_offered(tmp_path, memory, came_ms, reason):
    """mbedTLS does not guard the computation of its age against overflow."""
    words = (*CHAIN, "tls_version=13")
    with broker(tmp_path) as port:
        start(port, memory, *words)
        memory.write_bytes(with_ticket_of(memory.read_bytes(), came_ms))
        events = start(port, memory, *words, later_s=60)
    assert came(events) == reason
    assert (resumed(events), acked(events)) == ([0], 1)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("security=pinned",), "other_configuration"),
        (("tls_version=13",), "other_configuration"),
        (("server_name=other.thinwire.test",), "other_configuration"),
        ((f"utc_s={START_S + TICKET_S + 60}",), "expired"),
        ((f"utc_s={START_S - 60}",), "clock_went_back"),
    ],
)
def test_what_is_not_of_here_and_now_is_not_offered(tmp_path, memory, words, reason):
    with broker(tmp_path) as port:
        start(port, memory, *CHAIN)
        events = start(port, memory, *CHAIN, *words, until="memory")
    assert came(events) == reason


def test_another_server_is_not_offered_the_session(tmp_path, memory):
    with broker(tmp_path) as port:
        start(port, memory, *CHAIN)
    with broker(tmp_path) as other:
        events = start(other, memory, *CHAIN)
    assert came(events) == "other_configuration"
    assert resumed(events) == [0]


@pytest.mark.parametrize(("version", "security"), [("12", "chain"), ("13", "chain"), ("13", "psk")])
def test_a_server_that_has_forgotten_makes_the_handshake_a_full_one(
    tmp_path, memory, security, version
):
    words = (*ONE, f"security={security}", f"tls_version={version}")
    with broker(tmp_path, security) as port:
        start(port, memory, *words)
    with broker(tmp_path, security, port=port):
        events = start(port, memory, *words, later_s=60)
    assert came(events) == "recalled"
    assert resumed(events) == [0]
    assert acked(events) == 1


def test_another_key_than_the_pinned_one_is_refused_in_spite_of_a_kept_session(memory):
    words = (*TCP, "security=pinned", "resume=1")
    with openssl() as port:
        start(port, memory, *words)
    with openssl(leaf="ec/wrong_key", port=port):
        events = start(port, memory, *words, until="disconnected")
    assert came(events) == "recalled"
    assert not only(events, "secured")
    assert only(events, "disconnected")[0]["reason"] == "wrong_key"


def test_a_recalled_session_is_gone_from_memory(tmp_path, memory):
    """A ticket of TLS 1.3 is for one use (RFC 8446, appendix C.4)."""
    words = (*CHAIN, "tls_version=13")
    with broker(tmp_path) as port:
        start(port, memory, *words)
    with socket.create_server(("127.0.0.1", port)):  # a server that sends nothing
        assert came(start(port, memory, *words, later_s=60, until="memory")) == "recalled"
    with broker(tmp_path, port=port):
        events = start(port, memory, *words, later_s=120)
    assert came(events) == "none"
    assert resumed(events) == [0]


def test_a_session_that_does_not_fit_is_not_kept(tmp_path, memory):
    """The ticket of a server that asked for a certificate holds it."""
    with broker(tmp_path, "chain", "require_certificate true") as port:
        first = start(port, memory, *CHAIN, "own_certificate=1")
        again = start(port, memory, *CHAIN, "own_certificate=1")
    assert [line["session"] for line in only(first, "memory")] == ["none", "too_large"]
    assert came(again) == "none"
    assert acked(again) == 1


def test_without_resume_nothing_is_kept(tmp_path, memory):
    with broker(tmp_path) as port:
        runs = [start(port, memory, *CHAIN, "resume=0") for _ in range(2)]
    assert [resumed(run) for run in runs] == [[0], [0]]
    assert not memory.exists() or not any(memory.read_bytes()[128:])


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("proto=mqtt", "deep_sleep=1"), "connection_messages"),
        (("proto=mqtt", "deep_sleep=1", "connection_messages=1", "role=subscribe"), "deep_sleep"),
    ],
)
def test_who_cannot_sleep_deeply_says_so(memory, words, key):
    events = start(1, memory, *words)
    assert only(events, "config_error")[0]["key"] == key
