"""Does a serving device refuse requests that two readers could cut differently?

Reports: trafficserver #10580 (chunk sizes), and the forms that request smuggling is tried with.
Rules: RFC 9112, sections 2.2, 3.2, 5.1, 6.1, 6.3 and 7.1.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hil.peers.http import server as http
from hil.peers.log import Log
from hil.tests.reports import streams
from hil.tests.support import peers

_CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
REFUSED = {
    "both lengths": b"Content-Length: 5\r\n" + _CHUNKED + b"0\r\n\r\n",
    "blank before the colon": b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "folded": b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "vertical tab": b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "twice": b"Transfer-Encoding: chunked\r\n" + _CHUNKED + b"0\r\n\r\n",
    "length with a sign": b"Content-Length: +2\r\n\r\nhi",
    "two lengths": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
    "list of two lengths": b"Content-Length: 2, 3\r\n\r\nhi",
    "length without digits": b"Content-Length: \r\n\r\n",
    "length above all": b"Content-Length: 18446744073709551618\r\n\r\nhi",
    "two hosts": b"Host: other\r\n\r\n",
    "chunk size with 0x": _CHUNKED + b"0x2\r\nhi\r\n0\r\n\r\n",
    "chunk size with letters": _CHUNKED + b"2these\r\nhi\r\n0\r\n\r\n",
    "chunk size above all": _CHUNKED + b"100000002\r\nhi\r\n0\r\n\r\n",
    "chunk size with a sign": _CHUNKED + b"-2\r\nhi\r\n0\r\n\r\n",
    "chunk size after a blank": _CHUNKED + b" 2\r\nhi\r\n0\r\n\r\n",
}
CODINGS = {  # and the status that refuses them
    "unknown alone": (b"xchunked", 400),
    "after chunked": (b"chunked, gzip", 400),
    "identity": (b"identity", 400),
    "before chunked": (b"gzip, chunked", 501),
    "unknown in another field": (b"gzip\r\nTransfer-Encoding: chunked", 501),
    "chunked in another field": (b"chunked\r\nTransfer-Encoding: gzip", 400),
    "chunked twice": (b"chunked, chunked", 400),
    "none": (b"", 400),
}
TAKEN = {
    "list of one length": b"Content-Length: 2, 2\r\n\r\nhi",
    "coding in capitals": b"Transfer-Encoding: Chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    "empty entries of a list": b"Transfer-Encoding: ,chunked,\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    "quoted extension": _CHUNKED + b'2;a="x;y"\r\nhi\r\n0\r\n\r\n',
    "long extension": _CHUNKED + b"2;" + b"e" * 300 + b"\r\nhi\r\n0\r\n\r\n",
    "trailer": _CHUNKED + b"2\r\nhi\r\n0\r\nContent-Length: 9\r\n\r\n",
}
HEAD = b"POST /a HTTP/1.1\r\nHost: board\r\n"


@pytest.mark.parametrize("rest", REFUSED.values(), ids=REFUSED)
def test_refused(engine, rest: bytes) -> None:
    device = streams.http_server(engine)
    device.feed(HEAD + rest)
    assert streams.http_statuses(streams.sent(device)) in ([400], [501])
    assert not streams.received(device)


@pytest.mark.parametrize(("codings", "status"), CODINGS.values(), ids=CODINGS)
def test_codings(engine, codings: bytes, status: int) -> None:
    device = streams.http_server(engine)
    device.feed(HEAD + b"Transfer-Encoding: " + codings + b"\r\n\r\n0\r\n\r\n")
    assert streams.http_statuses(streams.sent(device)) == [status]
    assert streams.reasons(device) and not streams.received(device)


@pytest.mark.parametrize("rest", TAKEN.values(), ids=TAKEN)
def test_taken(engine, rest: bytes) -> None:
    device = streams.http_server(engine)
    device.feed(HEAD + rest)
    assert streams.http_statuses(streams.sent(device)) == [204]
    assert streams.received(device) == [b"hi"]


SERVER = {  # and the status of the laboratory's own server
    "both lengths": (HEAD + REFUSED["both lengths"], 400),
    "chunks in HTTP/1.0": (HEAD.replace(b"1.1", b"1.0") + _CHUNKED + b"0\r\n\r\n", 400),
    "after chunked": (HEAD + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", 400),
    "coding alone": (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", 400),
    "preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    "LF in the framing": (HEAD + _CHUNKED + b"2\nhi\r\n0\r\n\r\n", 400),
}


@pytest.mark.parametrize(("request_", "status"), SERVER.values(), ids=SERVER)
def test_server(tmp_path: Path, request_: bytes, status: int) -> None:
    async def main() -> bytes:
        async with await http.listen(Log("http", tmp_path / "log"), "127.0.0.1", port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request_ + b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            answer = await asyncio.wait_for(reader.read(), 10)
            writer.close()
            return answer

    port = peers.free_port()
    assert streams.http_statuses(asyncio.run(main())) == [status]
