"""Which lines of a foreign program become events of the board's log, and in which form?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.base.schema import validate
from hil.rig.boards import printed

NONCE = "00c0ffee"


def test_an_event_gets_the_nonce_and_keeps_what_the_log_knows() -> None:
    line = b'{"t":12,"ev":"acked","seq":3,"rtt_us":4200,"colour":"red","topic":7}'
    wanted = {"t": 12, "nonce": NONCE, "ev": "acked", "seq": 3, "rtt_us": 4200}
    assert printed.event(line, NONCE) == wanted


@pytest.mark.parametrize(
    "line",
    [
        b"hello",
        b'{"ev":"acked"}',
        b'{"t":-1,"ev":"acked"}',
        b'{"t":true,"ev":"acked"}',
        b'{"t":1,"ev":"end"}',
        b'{"t":1,"ev":"crash"}',
        b'{"t":1,"ev":7}',
        b'{"t":1,"ev":"acked","nonce":"other"}',
        b'{"t":1,"ev":"acked"',
        b'{"t":NaN,"ev":"acked"}',
        b"[" * 3000 + b'"ev"',
        b'{"t":1,"ev":"' + b"x" * 5000 + b'"}',
    ],
)
def test_other_lines_are_text(line: bytes) -> None:
    assert printed.event(line, NONCE) is None


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
KEYS = st.sampled_from(["t", "ev", "seq", "nonce", "rtt_us", "topic", "reason", "other"])


@given(st.dictionaries(KEYS, VALUES))
def test_every_event_is_a_line_of_the_log(fields: dict[str, object]) -> None:
    import json  # noqa: PLC0415

    if found := printed.event(json.dumps(fields).encode(), NONCE):
        validate(found, "log", "test")


def test_what_is_printed_is_kept_and_its_events_are_read_once(tmp_path: Path) -> None:
    output, log = tmp_path / "out", tmp_path / "board.jsonl"
    output.write_bytes(b'text \xff\n{"t":1,"ev":"sent","seq":1}\n{"t":2,"ev":"se')
    reader = printed.Reader(output, log, NONCE)
    reader.take()
    with output.open("ab") as file:
        file.write(b'nt","seq":2}\n')
    reader.take()
    reader.take()
    assert [line.split('"seq":')[1] for line in log.read_text().splitlines()] == ["1}", "2}"]
    reader.keep(tmp_path / "text")
    assert (tmp_path / "text").read_text(encoding="utf-8").startswith("text \ufffd\n{")
