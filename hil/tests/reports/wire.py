"""Captures of a report case, frame by frame: the traffic between a device and its server."""

from __future__ import annotations

from hil.bundle.pcapng import Frame
from hil.tests.support import frames

_SECOND_NS = 1_000_000_000
_START_NS = 1_577_836_800 * _SECOND_NS
_SEGMENT_BYTES = 1400


class Wire:
    """The frames between the board and its server (their addresses are the laboratory's), and a
    clock: `now_s` is the time of the next frame."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.now_s = 0.0

    def put(self, data: bytes, then_s: float = 0.0) -> None:
        """Capture a frame and advance the clock by `then_s`."""
        time_ns = _START_NS + round(self.now_s * _SECOND_NS)
        self.frames.append(frames.frame(frames.with_checksums(data), time_ns))
        self.now_s += then_s

    def up(self, payload: bytes, then_s: float = 0.02, port: int = 5683, own: int = 50000) -> None:
        """A datagram of the device."""
        self.put(frames.udp(payload, True, port, own), then_s)

    def down(
        self, payload: bytes, then_s: float = 0.02, port: int = 5683, own: int = 50000
    ) -> None:
        """A datagram of the server."""
        self.put(frames.udp(payload, False, own, port), then_s)

    def connect(
        self,
        port: int,
        own: int = 50000,
        sequences: tuple[int, int] = (1000, 5000),
        handshake: bool = True,
    ) -> Connection:
        """A TCP connection of the device to the server's `port`, with its handshake if wanted."""
        return Connection(self, port, own, sequences, handshake)


class Connection:
    """A TCP connection on a wire. Each side's segments acknowledge all that the other has sent."""

    def __init__(
        self, wire: Wire, port: int, own: int, sequences: tuple[int, int], handshake: bool
    ) -> None:
        self.wire, self.port, self.own = wire, port, own
        self.next = {True: sequences[0], False: sequences[1]}  # by: from the device
        if handshake:
            self.segment(True, flags=frames.SYN, acknowledged=0)
            self.segment(False, flags=frames.SYN | frames.ACK)
            self.segment(True, flags=frames.ACK)

    def segment(
        self,
        from_device: bool,
        data: bytes = b"",
        *,
        flags: int = frames.PSH | frames.ACK,
        then_s: float = 0.02,
        sequence: int | None = None,
        acknowledged: int | None = None,
        window: int = 65535,
    ) -> None:
        """One segment. One with a `sequence` of its own is beside the stream (a repetition, a
        probe): the next one continues as if it had not been."""
        number = self.next[from_device] if sequence is None else sequence
        seen = self.next[not from_device] if acknowledged is None else acknowledged
        to, source = (self.port, self.own) if from_device else (self.own, self.port)
        options = {"acknowledged": seen, "flags": flags, "window": window}
        self.wire.put(frames.tcp(number, data, from_device, to, source, **options), then_s)
        if sequence is None:
            counted = bool(flags & frames.SYN) + bool(flags & frames.FIN)
            self.next[from_device] += len(data) + counted

    def up(self, data: bytes, then_s: float = 0.02) -> None:
        """Data of the device, in segments of at most 1400 bytes; the last is then acknowledged."""
        self._send(True, data, then_s)

    def down(self, data: bytes, then_s: float = 0.02) -> None:
        """Data of the server, likewise."""
        self._send(False, data, then_s)

    def _send(self, from_device: bool, data: bytes, then_s: float) -> None:
        for at in range(0, len(data), _SEGMENT_BYTES):
            last = at + _SEGMENT_BYTES >= len(data)
            part = data[at : at + _SEGMENT_BYTES]
            self.segment(from_device, part, then_s=then_s if last else 0.0001)

    def acknowledge(self, from_device: bool, then_s: float = 0.001, window: int = 65535) -> None:
        """A segment without data."""
        self.segment(from_device, flags=frames.ACK, then_s=then_s, window=window)

    def close(self) -> None:
        """Both sides' FIN and the last acknowledgement; the device begins."""
        self.segment(True, flags=frames.FIN | frames.ACK)
        self.segment(False, flags=frames.FIN | frames.ACK)
        self.acknowledge(True)
