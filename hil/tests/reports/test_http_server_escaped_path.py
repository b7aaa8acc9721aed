"""Does a serving device know its path when characters of it are escaped?

Reports: web servers of microcontrollers that compare the raw target (ESP8266WebServer).
Rules: RFC 9110, section 4.2.3, and RFC 3986, sections 6.2.2.1 and 6.2.2.2: %61 is "a", in either
case of its digits; section 2.2: %2F is no "/".
"""

from __future__ import annotations

import pytest

from hil.peers.http.server import resource
from hil.tests.reports import streams


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/tw/d%61ta", 200),
        ("/%74%77/%64ata?x=%zz", 200),
        ("/tw/data%7e", 404),
        ("/tw%2fdata", 404),
        ("/tw/data%00", 404),
        ("/tw/data%6", 400),
    ],
)
def test_path(engine, path: str, status: int) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: board\r\n\r\n".encode()
    answer = streams.http_answer(engine, request, "topic=tw/data")
    assert streams.http_statuses(answer) == [status]


def test_server_of_the_laboratory() -> None:
    assert resource(b"/tw/d%61ta?%61") == resource(b"/tw/data?%61") == b"/tw/data?%61"
    assert resource(b"/tw%2fdata") == resource(b"/tw%2Fdata") != resource(b"/tw/data")
