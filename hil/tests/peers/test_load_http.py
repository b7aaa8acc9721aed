"""Do the load's HTTP clients get answers from real servers, and do they name what went wrong?"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import Counter
from pathlib import Path

import pytest

from hil.design.payload import payload
from hil.peers.http import load as http_load
from hil.tests.support import peers
from hil.tests.support.loads import Lines, events, load, task


@pytest.mark.parametrize("keep_alive", [False, True])
def test_http_requesters_get_answers_from_the_standard_library(
    tmp_path: Path, keep_alive: bool
) -> None:
    (tmp_path / "data").write_bytes(payload("b1", 7, 123456, 30))

    async def main() -> Lines:
        port = peers.free_port()
        async with peers.running(
            "python3", "-u", "-m", "http.server", "-p", "HTTP/1.1", "-d", str(tmp_path), str(port)
        ):
            await peers.accepts(port)
            what = task(port, topic="data", messages=5, keep_alive=keep_alive)
            return await load(tmp_path, http_load.Requester, what, 4, 1.0)

    lines = asyncio.run(main())
    assert (events(lines)["acked"], events(lines)["received"]) == (20, 20)
    assert {line["seq"] for line in lines if line["ev"] == "received"} == {7}


@pytest.mark.parametrize(("keep_alive", "connections"), [(True, 2), (False, 10)])
def test_http_requesters_keep_their_connection_or_do_not(
    tmp_path: Path, keep_alive: bool, connections: int
) -> None:
    async def main() -> tuple[Lines, int]:
        accepted = 0

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal accepted
            accepted += 1
            with contextlib.suppress(asyncio.IncompleteReadError):
                while await reader.readuntil(b"\r\n\r\n"):
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nb1:7..")
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            what = task(port, messages=5, keep_alive=keep_alive)
            lines = await load(tmp_path, http_load.Requester, what, 2, 0.8)
            return lines, accepted

    lines, accepted = asyncio.run(main())
    assert events(lines)["acked"] == 10
    assert accepted == connections


@pytest.mark.parametrize("keep_alive", [0, 1])
def test_http_requesters_get_answers_from_the_device(tmp_path: Path, keep_alive: int) -> None:
    async def main() -> Lines:
        port = peers.free_port()
        device = asyncio.create_task(
            peers.device(proto="http", role="serve", port=port, duration_ms=1500)
        )
        await peers.accepts(port)
        what = task(port, messages=5, keep_alive=bool(keep_alive))
        lines = await load(tmp_path, http_load.Requester, what, 4, 1.0)
        await device
        return lines

    lines = asyncio.run(main())
    assert events(lines)["acked"] == 20
    assert sorted(line["seq"] for line in lines if line["ev"] == "received") == list(range(1, 21))


def test_http_requester_outlives_a_server_that_is_not_there(tmp_path: Path) -> None:
    what = task(peers.free_port(), messages=3)
    lines = asyncio.run(load(tmp_path, http_load.Requester, what, 1, 0.6))
    assert [line["reason"] for line in lines if line["ev"] == "failed"] == ["no_connection"] * 3


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (b"", "connection_lost"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nhalf", "connection_lost"),
        (b"220 this is no HTTP\r\n\r\n", "malformed"),
    ],
)
def test_a_close_before_the_answer_is_told_from_what_is_no_answer(
    tmp_path: Path, said: bytes, reason: str
) -> None:
    async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(said)
        writer.write_eof()
        await reader.read()
        writer.close()

    async def main() -> Lines:
        async with await asyncio.start_server(close, "127.0.0.1", 0) as server:
            what = task(server.sockets[0].getsockname()[1], messages=2)
            return await load(tmp_path, http_load.Requester, what, 1, 0.6)

    lines = asyncio.run(main())
    assert [line["reason"] for line in lines if line["ev"] == "failed"] == [reason] * 2


def test_requests_of_a_full_server_are_counted_as_without_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_load, "_RESPONSE_LIMIT_S", 0.3)

    async def main() -> Lines:
        with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
            port = server.getsockname()[1]
            what = task(port, messages=1)
            return await load(tmp_path, http_load.Requester, what, 5, 1.0)

    reasons = Counter(line["reason"] for line in asyncio.run(main()) if line["ev"] == "failed")
    assert reasons == {"no_response": 1, "no_connection": 4}
