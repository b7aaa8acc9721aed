"""The consumer that logs the messages of the device's queue.

If the broker runs for the whole trial, it does not acknowledge. If the broker is restarted, a
durable queue and acknowledgements ensure that no message is missed. A message that the broker
delivers again, because the acknowledgement was lost with the connection, is not logged twice:
`redelivered` marks such a delivery (AMQP 0-9-1, basic.deliver).
"""

from __future__ import annotations

from collections import deque
from pathlib import Path

from hil.peers import recording
from hil.peers.amqp import codec as amqp
from hil.peers.log import Log

_RETRY_S = 0.2
_REMEMBERED = 256  # bodies that the broker may deliver again
_DURABLE = b"\2"  # of queue.declare's bits
_NO_ACK = b"\2"  # of basic.consume's bits
_PASSIVE = b"\1"  # of queue.declare's bits
_NO_BITS = b"\0"
Step = tuple[bytes, tuple[int, int]]


class Recorder:
    """The protocol, without I/O: bytes in, bytes out, messages of `queue` to the log."""

    def __init__(self, log: Log, queue: str, durable: bool) -> None:
        self._log, self._queue, self._durable = log, queue, durable
        self._recent: deque[bytes] = deque(maxlen=_REMEMBERED)
        self._steps: list[Step] = []
        self._buffer = b""
        self._first = True
        self.drained = False  # no message waits
        self._tag, self._again = b"", False
        self._body, self._left = b"", 0

    @property
    def ready(self) -> bool:
        """Whether it consumes."""
        return not self._steps

    def greeting(self) -> bytes:
        """Return the bytes that open a connection."""
        self._steps, self._buffer = amqp.opening(self._queue), b""
        if self._durable:
            self._replace_queue()
        bits = _NO_BITS if self._durable else _NO_ACK
        consume = b"\0\0" + amqp.short(self._queue) + amqp.short("log") + bits + amqp.long(b"")
        self._steps.append((amqp.method(1, amqp.CONSUME, consume), amqp.CONSUME_OK))
        return self._steps[0][0]

    def _replace_queue(self) -> None:
        """Declare a durable queue; the first connection deletes the transient one."""
        self._steps.pop()
        name = b"\0\0" + amqp.short(self._queue)
        if self._first:
            self._steps.append((amqp.method(1, amqp.DELETE, name + _NO_BITS), amqp.DELETE_OK))
        declare = name + _DURABLE + amqp.long(b"")
        self._steps.append((amqp.method(1, amqp.DECLARE, declare), amqp.DECLARE_OK))
        self._first = False

    def drain(self) -> bytes:
        """Return a passive queue.declare. RabbitMQ's queue answers it behind the messages that it
        has, which it delivers at once, as no basic.qos limits them."""
        asked = b"\0\0" + amqp.short(self._queue) + _PASSIVE + amqp.long(b"")
        return amqp.method(1, amqp.DECLARE, asked)

    def feed(self, data: bytes, stamp: int) -> bytes:
        """Handle bytes received at `stamp` (ns), and return the bytes to send.

        Raises:
            amqp.Malformed: the bytes are not AMQP frames.
            ConnectionError: the broker closes the channel.
        """
        self._buffer += data
        answers, done = b"", 0
        for kind, end, payload in amqp.frames(self._buffer):
            done = end
            answers += self._frame(kind, payload, stamp)
        self._buffer = self._buffer[done:]
        return answers

    def _frame(self, kind: int, payload: bytes, stamp: int) -> bytes:
        if kind == amqp.METHOD:
            return self._method(payload)
        if kind == amqp.CONTENT_HEADER:
            self._left, self._body = amqp.content_bytes(payload), b""
        elif kind == amqp.CONTENT_BODY:
            if len(payload) > self._left:
                raise amqp.Malformed("a body longer than announced")
            self._body += payload
            self._left -= len(payload)
        else:
            return b""
        return b"" if self._left else self._message(stamp)

    def _method(self, payload: bytes) -> bytes:
        name = amqp.name_of(payload)
        if self._steps and name == self._steps[0][1]:
            self._steps.pop(0)
            return self._steps[0][0] if self._steps else b""
        self.drained |= name == amqp.DECLARE_OK
        if name == amqp.CHANNEL_CLOSE:
            raise ConnectionError("the broker closes its recorder's channel")
        if name == amqp.DELIVER:
            self._tag, self._again = amqp.delivery(payload)
        return amqp.method(0, amqp.CLOSE_OK, b"") if name == amqp.CLOSE else b""

    def _message(self, stamp: int) -> bytes:
        if not (self._again and self._body in self._recent):
            self._log.received(self._body, stamp, queue=self._queue)
        if not self._durable:
            return b""
        self._recent.append(self._body)
        return amqp.method(1, amqp.ACK, self._tag + _NO_BITS)


def collect(port: int, queue: str, file: Path, ready: Path) -> None:
    """Log every message of the queue until SIGTERM, without acknowledgements."""
    log = Log("rabbitmq", file)
    recording.collect(Recorder(log, queue, durable=False), log, port, ready)


def follow(port: int, queue: str, file: Path, ready: Path) -> None:
    """Log every message of the queue until SIGTERM, and reconnect after a restart of the broker."""
    log = Log("rabbitmq", file)
    recording.follow(Recorder(log, queue, durable=True), log, port, ready, _RETRY_S)
