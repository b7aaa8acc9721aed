"""Does the laboratory's CoAP load take an ACK of another message, or a stranger's, for its answer?

Reports: openthread #1222, #6007; RIOT #18026, asked of the other end of the laboratory.
Rule: RFC 7252, section 5.3.2: a piggybacked response has the token and the message ID.
"""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from hil.peers import CLIENTS
from hil.peers.coap import codec
from hil.tests.support import peers
from hil.tests.support.loads import Lines, events, load, task


class Wrong(asyncio.DatagramProtocol):
    """Answers each request with another message ID, or from another port."""

    def __init__(self, stranger: socket.socket | None) -> None:
        self._stranger = stranger

    def connection_made(self, transport) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        asked = codec.decode(data)
        mid = asked.message_id ^ (0 if self._stranger else 1)
        answer = codec.encode(codec.Message(codec.ACK, 0x45, mid, asked.token, (), b"x"))
        if self._stranger:
            self._stranger.sendto(answer, address)
        else:
            self._transport.sendto(answer, address)


@pytest.mark.parametrize("by_stranger", [False, True])
@pytest.mark.parametrize("socket_each", [False, True])
def test_answer_to_another_message(tmp_path: Path, by_stranger: bool, socket_each: bool) -> None:
    async def main() -> Lines:
        port = peers.free_port(socket.SOCK_DGRAM)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.1", 0))
            transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
                lambda: Wrong(other if by_stranger else None), local_addr=("127.0.0.1", port)
            )
            what = task(port, messages=1, confirmable=True, socket_each=socket_each)
            lines = await load(tmp_path, CLIENTS["coap", "serve"], what, 2, 0.5)
            transport.close()
            return lines

    found = events(asyncio.run(main()))
    assert found["sent"] == 2 and not found["acked"]
