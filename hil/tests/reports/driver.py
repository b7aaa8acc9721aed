"""One engine of the firmware with its own clock: feed it input and read its output.

The engine runs in build/firmware/host/drive (firmware/tests/drive/main.c), under AddressSanitizer
and UBSan. Times are in seconds since the board started; the engine begins at 1 s.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import IO, cast

from hil.base.paths import ROOT

DRIVE = ROOT / "build" / "firmware" / "host" / "drive"
US = 1_000_000


class Refused(Exception):
    """The engine does not accept its configuration; the text is the key."""


class Broken(Exception):
    """The engine violated an invariant; the text is the program's output."""


@dataclass(frozen=True)
class Sent:
    """A datagram, or a piece of a stream, that was sent. `to` is None for the configured peer, and
    for a stream.
    """

    time_s: float
    to: tuple[str, int] | None
    data: bytes


@dataclass(frozen=True)
class Event:
    """What the engine reported to the application: `type` is that of `enum tw_event_type` without
    its prefix, in lower case; `reason` is empty where there is none."""

    time_s: float
    link: int
    type: str
    seq: int
    last: bool
    offset: int
    reason: str
    data: bytes


def _hex(text: str) -> bytes:
    return b"" if text == "-" else bytes.fromhex(text)


class Device:
    """An engine, from its configuration on. `events` holds all that it reported so far."""

    def __init__(self, words: str) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen([str(DRIVE)], stdin=pipe, stdout=pipe, stderr=pipe)
        self.events: list[Event] = []
        self._sent: dict[int, list[Sent]] = {}
        if refused := self._do(f"config {words}"):
            self.end()
            raise Refused(refused)

    def _do(self, command: str) -> str:
        """Carry out a command; the word that answers it, if one does."""
        process, answer = self._process, ""
        commands, reports = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        commands.write(f"{command}\n".encode())
        commands.flush()
        while (line := reports.readline().decode().rstrip("\n")) != ".":
            if not line:
                raise Broken(cast(IO[bytes], process.stderr).read().decode())
            kind, _, rest = line.partition(" ")
            if kind == "sent":
                self._note_sent(rest.split(" "))
            elif kind == "event":
                self._note_event(rest.split(" "))
            else:
                answer = rest
        return answer

    def _note_sent(self, words: list[str]) -> None:
        time, link, address, port, data = words
        known = address != "0" or port != "0"
        to = (str(IPv4Address(int(address))), int(port)) if known else None
        self._sent.setdefault(int(link), []).append(Sent(int(time) / US, to, _hex(data)))

    def _note_event(self, words: list[str]) -> None:
        time, link, kind, seq, last, offset, reason, data = words
        reason = "" if reason == "-" else reason
        event = Event(
            int(time) / US,
            int(link),
            kind,
            int(seq),
            last == "1",
            int(offset),
            reason,
            _hex(data),
        )
        self.events.append(event)

    def open(self, link: int = 0) -> None:
        """The transport of `link` comes up: connected, accepted or, for datagrams, bound."""
        self._do(f"open {link}")

    def close(self, link: int = 0) -> None:
        """Close the transport of `link`."""
        self._do(f"close {link}")

    def feed(self, data: bytes, sender: tuple[str, int] | None = None, link: int = 0) -> None:
        """Give the engine one datagram, or a piece of a stream; without `sender` it comes from the
        configured peer."""
        address, port = sender or ("0.0.0.0", 0)
        self._do(f"feed {link} {int(IPv4Address(address))} {port} {data.hex()}")

    def publish(self, seq: int, size: int) -> str:
        """Offer a message: "published", "busy", "offline", "unwanted" or "unsupported"."""
        return self._do(f"publish {seq} {size}")

    def wait(self, seconds: float, room: int | None = None) -> None:
        """Let time pass. Output leaves now and at each deadline, which is served; at most `room`
        bytes of each link at a time."""
        self._do(f"wait {round(seconds * US)}" + ("" if room is None else f" {room}"))

    def sent(self, link: int = 0, room: int | None = None) -> list[Sent]:
        """Return what was sent since the last call. With `room` the transport accepts at most this
        number of bytes now, and a datagram only as a whole.
        """
        self._do(f"take {link}" + ("" if room is None else f" {room}"))
        return self._sent.pop(link, [])

    def finish(self) -> None:
        """End the session in the protocol's own way."""
        self._do("finish")

    def heard(self, kind: str) -> list[Event]:
        """The events of one type."""
        return [event for event in self.events if event.type == kind]

    def end(self) -> None:
        """Stop the program.

        Raises:
            Broken: a sanitizer has a finding.
        """
        _, said = self._process.communicate()
        if self._process.returncode:
            raise Broken(said.decode())
