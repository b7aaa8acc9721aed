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
        elif name == amqp.ACK:
            self._confirmed(*amqp.tag_of(content))

    def _confirmed(self, tag: bytes, multiple: bool) -> None:
        last = int.from_bytes(tag, "big")
        for known in [t for t in self._open_tags if t == last or (multiple and t <= last)]:
            self.acked(self._open_tags.pop(known))

    def publish(self, seq: int, body: bytes) -> None:
        self.send(amqp.publish(self.task.topic, body))
        self._open_tags[self._next_tag] = seq
        self._next_tag += 1
