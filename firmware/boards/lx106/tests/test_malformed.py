"""Does the board survive malformed frames, floods and slightly wrong peers, with each engine?"""

from __future__ import annotations

import base64
import hashlib
import random
import re
import time
import unittest
from dataclasses import dataclass

import frames
from board import BOARD_MAC, PATIENCE_S, Board, configuration
from far_end import FIRST_PORT, SIZE_MAX, Answer, Datagrams, Stream, assert_alive

# Enough of each kind to reach every parser; fixed, so that a failure repeats.
FUZZ_SEED = 20260
FUZZ_FRAMES = 3000
SESSIONS = 3
# A reset ends a session that no mutant has ended by then.
LONGEST = 200

# Frames of the IPv4 and ARP layers, mixed into each flood.
LOWER = [
    frames.arp(1),
    frames.arp(2, BOARD_MAC),
    frames.ping(7),
    frames.udp(1000, 1000, b"datagram" * 8),
]


@dataclass(frozen=True)
class Protocol:
    """What a board receives: `answers` to frames that hold these bytes, which establish a session;
    `messages`, valid ones of the session, whose mutants follow.
    """

    transport: type[Stream] | type[Datagrams]
    messages: tuple[bytes, ...]
    answers: tuple[tuple[bytes, bytes], ...] = ()
    opening: int = 0  # the number of answers that establish the session

    def answer(self, heard: bytes) -> bytes:
        """Return the answers to everything that was received."""
        return b"".join(words for mark, words in self.answers if mark in heard)


def of(*texts: str) -> tuple[bytes, ...]:
    """Messages from hexadecimal digits."""
    return tuple(bytes.fromhex(text) for text in texts)


def upgrade(heard: bytes) -> bytes:
    """The server's half of the WebSocket handshake (RFC 6455, section 4.2.2)."""
    if not (key := re.search(rb"Sec-WebSocket-Key: (\S+)", heard)):
        return b""
    digest = hashlib.sha1(key[1] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
    return (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\r\n\r\n"
    )


def register(heard: bytes) -> bytes:
    """MQTT-SN's CONNACK, and the REGACK of topic 1."""
    if heard[1:2] == b"\x04":
        return bytes.fromhex("030500")
    return bytes.fromhex("070b0001") + heard[4:6] + b"\0" if heard[1:2] == b"\x0a" else b""


# AMQP 0-9-1: Connection.Start to Confirm.Select-Ok, each after the method that asks for it.
_AMQP = tuple(
    (bytes.fromhex(asked), bytes.fromhex(words))
    for asked, words in (
        ("414d5150", "01000000000018000a000a00090000000000000005504c41494e0000000000ce"),
        ("000a000b", "0100000000000c000a001e07ff00020000003cce"),
        ("000a0028", "01000000000005000a002900ce"),
        ("0014000a", "010001000000080014000b00000000ce"),
        ("0032000a", "0100010000000f0032000b0274770000000000000000ce"),
        ("0055000a", "010001000000040055000bce"),
    )
)
_RAW = of("0200000000000001", "01010002000000016869", "01000002000000026869")
_HTTP_ANSWERS = (
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n",
)
_HTTP_REQUESTS = (
    b"GET /tw/data HTTP/1.1\r\nHost: b\r\n\r\n",
    b"POST /tw/data HTTP/1.1\r\nHost: b\r\nContent-Length: 2\r\n\r\nhi",
    b"PUT /tw/data HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
)
CLIENTS = {
    "mqtt": Protocol(
        Stream,
        of(
            "40020001", "50020001", "62020001", "70020001", "9003000100", "d000", "34060001740001ff"
        ),
        ((b"MQTT", bytes.fromhex("20020000")),),
        opening=1,
    ),
    "mqttsn": Protocol(
        Datagrams,
        of(
            "070d0001000100",
            "040f0001",
            "040e0001",
            "0217",
            "0218",
            "090c20000100016869",
            "0a0a0001000274772f64",
        ),
        opening=2,
    ),
    "coap": Protocol(
        Datagrams,
        of(
            "604400010000",
            "70000001",
            "645f000100000000d10e08",
            "40010001b161",
            "604500010000ff6869",
        ),
    ),
    "http": Protocol(Stream, _HTTP_ANSWERS),
    "websocket": Protocol(
        Stream,
        of("8a0400000001", "01026869", "80026869", "8900", "880203e8", "827e0100" + "00" * 256),
        opening=1,
    ),
    "amqp": Protocol(
        Stream,
        of(
            "0100010000000d003c0050000000000000000100ce",
            "0800000000000000ce",
            "01000100000014003c003c02747700000000000000050000027477ce",
            "0200010000000e003c000000000000000000020000ce030001000000026869ce",
            "0100010000000f0014002800c8000000000000000000ce",
        ),
        _AMQP,
        opening=6,
    ),
    "tcp": Protocol(Stream, _RAW),
    "udp": Protocol(Datagrams, _RAW),
}
SERVERS = {
    # CON GET /tw/data, one-byte token; CON POST; NON; an acknowledgement of nothing.
    "coap": Protocol(
        Datagrams,
        of(
            "41010001aab274770464617461",
            "42020002aabbb274770464617461ff6869",
            "51010003aab161",
            "60000004",
        ),
    ),
    "http": Protocol(Stream, _HTTP_REQUESTS),
    "tcp": Protocol(Stream, _RAW),
    "udp": Protocol(Datagrams, _RAW),
}
# Answers that depend on more than the presence of some bytes.
_SPEAKS: dict[str, Answer] = {"websocket": upgrade, "mqttsn": register}
_PORT = 4000


def mutate(draw: random.Random, data: bytes, start: int = 0) -> bytes:
    """Return the bytes with some of them changed from `start` on, truncated or extended."""
    out = bytearray(data)
    for _ in range(draw.randint(1, 6)):
        out[draw.randrange(start, len(out))] = draw.choice(
            (0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256))
        )
    kind = draw.randrange(4)
    if kind == 0:
        del out[draw.randrange(start + 1, len(out) + 1) :]
    elif kind == 1:
        out += draw.randbytes(draw.randrange(1, SIZE_MAX - len(out)))
    return bytes(out)


class Malformed(unittest.TestCase):
    """One test per engine and role. Nearly valid input reaches the most code, so mutants of whole
    frames alternate with mutants of messages in valid frames.
    """

    def flood(self, board: Board, protocol: Protocol, peer: Stream | Datagrams) -> None:
        """Send mutants until there were enough mutants and sessions."""
        draw = random.Random(FUZZ_SEED)
        wanted = SESSIONS if protocol.transport is Stream else 1
        limit = time.monotonic() + 2 * PATIENCE_S
        count = said = sessions = 0
        stood = False
        while count < FUZZ_FRAMES or sessions < wanted:
            count += 1
            self.assertLess(time.monotonic(), limit, f"only {sessions} sessions stood")
            peer.listen()
            stands = peer.open and peer.answered >= protocol.opening
            sessions += stands and not stood
            stood = stands
            message = draw.choice(protocol.messages)
            # Every fourth session opening is disturbed, the others are not.
            disturbed = stands or (peer.open and peer.connections % 4 == 3)
            if disturbed and count % 2:
                peer.say(message if said % 4 == 0 else mutate(draw, message))
                said += 1
                if said % LONGEST == 0:
                    peer.end()
            elif count >= FUZZ_FRAMES and not disturbed:
                time.sleep(0.005)  # without disturbance a missing session opens sooner
            else:
                seeds = [*LOWER, peer.frame(message)] if disturbed else LOWER
                mutant = mutate(draw, draw.choice(seeds), start=12)
                board.send(frames.reseal(mutant) if draw.randrange(2) else mutant)
            if count % 500 == 0:
                assert_alive(board, count % 2**16)

    def connect(self, board: Board, peer: Datagrams) -> None:
        """Establish a session over UDP before the flood, in which its answers may be lost."""
        limit = time.monotonic() + PATIENCE_S
        while not any(line["ev"] == "connected" for line in board.lines()):
            self.assertLess(time.monotonic(), limit, "no session stood")
            peer.listen()
            time.sleep(0.05)

    def survives(self, name: str, protocol: Protocol, role: str) -> None:
        """Flood a board; it must answer pings and not crash."""
        words = configuration(proto=name, port=_PORT, role=role, interval_ms=50, retry_ms=100)
        with Board(words) as board:
            board.wait_for_event("up")
            answer = _SPEAKS.get(name, protocol.answer)
            peer = protocol.transport(board, _PORT if role == "serve" else 0, answer)
            if role == "serve" and protocol.transport is Stream:
                for source in range(FIRST_PORT - 500, FIRST_PORT):
                    board.send(frames.tcp((source, _PORT), 1, 0, frames.SYN))
            if protocol.opening and isinstance(peer, Datagrams):
                self.connect(board, peer)
            self.flood(board, protocol, peer)
            assert_alive(board, 1)
            lines = board.lines()
        self.assertEqual([line for line in lines if line["ev"] == "crash"], [])
        if protocol.opening:
            self.assertIn("connected", [line["ev"] for line in lines])


def _add_tests() -> None:
    for role, protocols in (("publish", CLIENTS), ("serve", SERVERS)):
        for name, protocol in protocols.items():

            def test(self: Malformed, name=name, protocol=protocol, role=role) -> None:
                self.survives(name, protocol, role)

            setattr(Malformed, f"test_{name}_{role}", test)


_add_tests()

if __name__ == "__main__":
    unittest.main()
