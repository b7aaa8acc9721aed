"""AMQP publishers: messages for the queue that the device consumes from, with confirms."""

from __future__ import annotations

from hil.peers.amqp import codec as amqp
from hil.peers.stream import StreamPublisher


class Publisher(StreamPublisher):
    """Publishes to the device's queue."""

    _next_tag = 0  # 0: the session is still being opened

    @property
    def joined(self) -> bool:
        return super().joined and self._next_tag > 0

    def greeting(self) -> bytes:
        self._buffer, self._open_tags = b"", {}
        self._next_tag = 0
        self._steps = amqp.opening(self.task.topic)
        self._steps.append((amqp.method(1, amqp.CONFIRM_SELECT, b"\0"), amqp.CONFIRM_SELECT_OK))
        return self._steps[0][0]

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        done = 0
        for kind, done, content in amqp.frames(self._buffer):  # noqa: B007 (the last end counts)
            if kind == amqp.METHOD:
                self._method(amqp.name_of(content), content)
        self._buffer = self._buffer[done:]

    def _method(self, name: tuple[int, int], content: bytes) -> None:
        if self._steps and name == self._steps[0][1]:
            self._steps.pop(0)
            if self._steps:
                self.send(self._steps[0][0])
            else:
                self._next_tag = 1  # tags count from Confirm.Select on
                self.note("connected")
                self.start()
        elif name in {amqp.ACK, amqp.NACK}:
            self._confirmed(*amqp.tag_of(content), good=name == amqp.ACK)
        elif name == amqp.CLOSE:
            self.send(amqp.method(0, amqp.CLOSE_OK, b""))
        elif name == amqp.CHANNEL_CLOSE:  # the connection is of no use without its channel
            self.send(amqp.method(1, amqp.CHANNEL_CLOSE_OK, b""))
            self.drop()

    def _confirmed(self, tag: bytes, multiple: bool, good: bool) -> None:
        """Handle a confirm of one message, or of all up to it; tag 0 with `multiple` means all."""
        last = int.from_bytes(tag, "big")
        every = multiple and not last
        for known in [t for t in self._open_tags if every or t == last or (multiple and t <= last)]:
            seq = self._open_tags.pop(known)
            if good:
                self.acked(seq)
            else:
                self.failed(seq, "refused")

    def publish(self, seq: int, body: bytes) -> None:
        self.send(amqp.publish(self.task.topic, body))
        self._open_tags[self._next_tag] = seq
        self._next_tag += 1
