"""Which status codes of a Close does a device answer, and which does it refuse?

Reports: netty #8664, Java-WebSocket #639, ws #1682, Starscream #374, beast #3099, autobahn-python
#88 and #113 (1012 "service restart" and 1014).
Rules: RFC 6455, sections 5.5.1 and 7.4; IANA's registry of close codes (1012 to 1014).
"""

from __future__ import annotations

import pytest

from hil.tests.reports import streams

_PROTOCOL_ERROR = 1002


def answer_to(engine, code: int) -> int:
    device = streams.websocket(engine)
    device.feed(b"\x88\x02" + code.to_bytes(2, "big"))
    (_, body), *more = streams.websocket_frames(streams.sent(device))
    assert not more
    return int.from_bytes(body, "big")


@pytest.mark.parametrize(
    "code", [1000, 1001, 1002, 1003, *range(1007, 1015), 3000, 3999, 4000, 4999]
)
def test_answered(engine, code: int) -> None:
    assert answer_to(engine, code) == code


@pytest.mark.parametrize("code", [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535])
def test_refused(engine, code: int) -> None:
    assert answer_to(engine, code) == _PROTOCOL_ERROR
