"""Does a serving device refuse fields whose names or values cannot be?

Reports: request smuggling by names that one reader trims and another does not (h11, Node's llhttp).
Rules: RFC 9112, section 5.1; RFC 9110, sections 5.1 (a name is a token) and 5.5 (NUL, CR, LF).
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams


@pytest.mark.parametrize(
    "field", [b"X Y: a", b"X(: a", b"X : a", b": a", b"\xc3\xbc: a", b"X", b"X: a\0b", b"X: a\rb"]
)
def test_refused(engine, field: bytes) -> None:
    request = b"GET /a HTTP/1.1\r\nHost: board\r\n" + field + b"\r\n\r\n"
    assert streams.http_statuses(streams.http_answer(engine, request)) == [400]


@pytest.mark.parametrize("field", [b"x_y.z~1: a", b"X:", b"X:a:b", b"X: \xc3\xbc"])
def test_taken(engine, field: bytes) -> None:
    request = b"GET /a HTTP/1.1\r\nHost: board\r\n" + field + b"\r\n\r\n"
    assert streams.http_statuses(streams.http_answer(engine, request)) == [200]
