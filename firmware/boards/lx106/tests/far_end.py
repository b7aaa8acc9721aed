"""The far end of a board's conversation: TCP in the right order, or UDP, around any bytes."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable

import frames
from board import BOARD_MAC, Board

Answer = Callable[[bytes], bytes]
"""What is said to the board's bytes, so that a session stands; nothing for most."""

FIRST_PORT = 20000
SIZE_MAX = 1400  # bytes that fit into one frame
RESEND_S = 0.1  # wall-clock time after which unacknowledged data are sent again


def assert_alive(board: Board, sequence: int) -> None:
    """Check that the board answers a ping. The ping is repeated, since a flood may have filled the
    receiver, and so is the peer's ARP reply: mutants may have changed or evicted the entry in the
    board's ARP table.
    """
    for _ in range(50):
        board.send(frames.arp(2, BOARD_MAC))
        board.send(frames.ping(sequence))
        for _ in range(64):
            frame = board.receive(0.2)
            if frame is None:
                break
            if frames.is_pong(frame, sequence):
                return
    raise AssertionError(f"no answer to pings; the log is {board.lines()}")


class Datagrams:
    """A UDP peer. `port`: where the board serves; 0 when the board begins. `answered` counts the
    answers sent.
    """

    def __init__(self, board: Board, port: int, answer: Answer) -> None:
        self._board, self._answer = board, answer
        self._ports = (FIRST_PORT, port)
        self.answered = self.connections = 0

    @property
    def open(self) -> bool:
        """Whether the board's port is known."""
        return self._ports[1] != 0

    def frame(self, data: bytes) -> bytes:
        """Return a frame that carries this datagram."""
        return frames.udp(*self._ports, data)

    def say(self, data: bytes) -> None:
        """Send a datagram."""
        self._board.send(self.frame(data))

    def listen(self) -> None:
        """Take in what the board has sent, and answer it."""
        while (frame := self._board.receive(0)) is not None:
            if frames.is_arp_request(frame):
                self._board.send(frames.arp(2, BOARD_MAC))
            elif frames.is_ipv4(frame, frames.UDP):
                source, target, size = struct.unpack_from("!HHH", frame, 34)
                self._ports = (target, source)
                if words := self._answer(frame[42 : 34 + size]):
                    self.answered += 1
                    self.say(words)

    def end(self) -> None:
        """Nothing: there is no connection."""


class Stream:
    """A TCP peer with one connection at a time. `port`: where the board serves; 0 when the board
    connects. `connections` counts them, `answered` counts the answers on the current one.

    A segment is lost if the board has no room for it, so unacknowledged data are sent again.
    """

    def __init__(self, board: Board, port: int, answer: Answer) -> None:
        self._board, self._answer, self._port = board, answer, port
        self._ports = (FIRST_PORT, port)
        self._next = self._acknowledged = self._heard = self._patience = 0
        self._unheard = bytearray()  # from `_acknowledged` on
        self._said_at = 0.0
        self.open = False
        self.answered = self.connections = 0

    def frame(self, data: bytes) -> bytes:
        """Return a frame that carries these bytes at the stream's current position."""
        return frames.tcp(self._ports, self._next, self._heard, frames.ACK, data)

    def say(self, data: bytes) -> None:
        """Send these bytes, the next ones of the stream."""
        self._board.send(self.frame(data))
        self._next += len(data)
        self._unheard += data
        self._said_at = time.monotonic()

    def end(self) -> None:
        """Reset the connection."""
        reset = frames.tcp(self._ports, self._acknowledged, self._heard, frames.RST | frames.ACK)
        self._board.send(reset)
        self.open = False

    def listen(self) -> None:
        """Receive what the board has sent, and answer it. Connect first if the board serves."""
        if self._port and not self.open:
            self._call()
        while (frame := self._board.receive(0)) is not None:
            if frames.is_arp_request(frame):
                self._board.send(frames.arp(2, BOARD_MAC))
            elif frames.is_ipv4(frame, frames.TCP):
                self._take(frame)
        if self.open and self._unheard and time.monotonic() > self._said_at + RESEND_S:
            self._say_again()

    def _say_again(self) -> None:
        """Send the first bytes that the board has not acknowledged."""
        data = bytes(self._unheard[:SIZE_MAX])
        flags = frames.ACK
        self._board.send(frames.tcp(self._ports, self._acknowledged, self._heard, flags, data))
        self._said_at = time.monotonic()

    def _acknowledge(self, number: int) -> None:
        """Record that the board has received everything before this sequence number; a mutant may
        be part of it.
        """
        if number > self._acknowledged:
            del self._unheard[: number - self._acknowledged]
            self._acknowledged = number
            self._next = max(self._next, number)

    def _call(self) -> None:
        """Open a connection from the next port, unless the last attempt is recent."""
        self._patience -= 1
        if self._patience < 0:
            self._patience = 20
            self._ports = (self._ports[0] + 1, self._port)
            self._board.send(frames.tcp(self._ports, 0, 0, frames.SYN))

    def _begin(self, frame: bytes) -> None:
        self._heard = struct.unpack_from("!I", frame, 38)[0] + 1 & 0xFFFFFFFF
        self._next = self._acknowledged = 1
        self._unheard.clear()
        self.open = True
        self.answered = 0
        self.connections += 1

    def _take(self, frame: bytes) -> None:
        source, target, sequence, acknowledged = struct.unpack_from("!HHII", frame, 34)
        flags = frame[47]
        if frames.is_syn(frame):
            self._ports = (target, source)
            self._begin(frame)
            self._board.send(frames.tcp(self._ports, 0, self._heard, frames.SYN | frames.ACK))
        elif (target, source) == self._ports and flags & frames.SYN and not self.open:
            self._begin(frame)
            self.say(b"")
        elif (target, source) == self._ports and self.open:
            self._acknowledge(acknowledged)
            self._hear(frame, flags, sequence)
        elif not flags & (frames.SYN | frames.RST):  # of a connection that ended here
            reset = frames.tcp((target, source), acknowledged, 0, frames.RST)
            self._board.send(reset)

    def _hear(self, frame: bytes, flags: int, sequence: int) -> None:
        head = 34 + (frame[46] >> 4) * 4
        data = frame[head : 14 + struct.unpack_from("!H", frame, 16)[0]]
        if flags & frames.RST:
            self.open = False
        elif sequence == self._heard and (data or flags & frames.FIN):
            self._heard = (self._heard + len(data) + (flags & frames.FIN)) % 2**32
            if words := self._answer(data):
                self.answered += 1
                self.say(words)
            elif flags & frames.FIN:
                self.end()
            else:
                self._board.send(self.frame(b""))
