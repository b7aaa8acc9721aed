"""The subscriber that logs the messages that reached the broker.

If the broker runs for the whole trial, it subscribes at QoS 0 and answers nothing. If the broker is
restarted, it resumes its session and subscribes at QoS 2, so that every message arrives at the QoS
of its publication and none is missed. A message that the broker sends again, because the
acknowledgement was lost with the connection, is not logged twice: DUP in a PUBLISH marks such a
delivery (MQTT 3.1.1, section 3.3.1.1).
"""

from __future__ import annotations

from collections import deque
from pathlib import Path

from hil.peers import recording
from hil.peers.log import Log
from hil.peers.mqtt import codec as mqtt

CLIENT_ID = b"thinwire-log"
_RETRY_S = 0.05
# A foreign broker may keep no session: its recorder has to be back before the device.
_OBSERVER_RETRY_S = 0.005
# The longest: some brokers (rumqttd) refuse 0, which means none (section 3.1.2.10).
_OBSERVER_KEEPALIVE_S = 65535
_REMEMBERED = 256  # deliveries that the broker may repeat, more than its window


class Recorder:
    """The protocol, without I/O: bytes in, bytes out, messages to the log."""

    def __init__(self, log: Log, qos: int, keepalive_s: int = 0) -> None:
        self._log, self._qos, self._keepalive_s = log, qos, keepalive_s
        self._unreleased: set[int] = set()  # QoS 2: received, and PUBREL not yet seen
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=_REMEMBERED)
        self.ready = self.drained = False  # subscribed; no message waits
        self._quiet = False  # no message since the last PINGREQ

    def greeting(self) -> bytes:
        """Return the bytes that open a connection; above QoS 0 the session is resumed."""
        self._stream, self.ready = mqtt.Stream(), False
        opening = mqtt.connect(CLIENT_ID, self._keepalive_s, clean=not self._qos)
        return opening + mqtt.subscribe(1, b"#", self._qos)

    def drain(self) -> bytes:
        """Return PINGREQ. It is repeated until no message arrives before its answer: an
        acknowledgement can make the broker deliver the next message of a full window."""
        self._quiet = True
        return mqtt.ping()

    def feed(self, data: bytes, stamp: int) -> bytes:
        """Handle bytes received at `stamp` (ns), and return the bytes to send. Raises as `take`."""
        return b"".join(self.take(packet, stamp) for packet in self._stream.feed(data))

    def take(self, packet: mqtt.Packet, stamp: int) -> bytes:
        """Handle a packet received at `stamp` (ns), and return the bytes to send.

        Raises:
            mqtt.Malformed: the broker violates the protocol.
            recording.Refused: the broker refuses the session or the subscription.
        """
        if packet.kind == mqtt.PINGRESP:
            self.drained = self._quiet
            return b"" if self.drained else self.drain()
        self._quiet = False
        if packet.kind == mqtt.PUBLISH:
            return self._publish(mqtt.parse_publish(packet), stamp)
        if packet.kind == mqtt.PUBREL:
            number = mqtt.packet_id(packet)
            self._unreleased.discard(number)
            return mqtt.acknowledge(mqtt.PUBCOMP, number)
        if packet.kind in {mqtt.CONNACK, mqtt.SUBACK} and mqtt.refused(packet):
            raise recording.Refused("the broker refuses its recorder")
        if packet.kind == mqtt.CONNACK and not mqtt.session_present(packet):
            self._unreleased.clear()
        self.ready |= packet.kind == mqtt.SUBACK
        return b""

    def _publish(self, message: mqtt.Message, stamp: int) -> bytes:
        mark = message.packet_id, message.payload
        repeated = message.packet_id in self._unreleased or (message.dup and mark in self._recent)
        if not repeated:
            self._log.received(message.payload, stamp, topic=message.topic.decode())
        if message.qos == 0:
            return b""
        self._recent.append(mark)
        if message.qos == 1:
            return mqtt.acknowledge(mqtt.PUBACK, message.packet_id)
        self._unreleased.add(message.packet_id)
        return mqtt.acknowledge(mqtt.PUBREC, message.packet_id)


def collect(name: str, port: int, file: Path, ready: Path) -> None:
    """Log every message on any topic until SIGTERM, at QoS 0."""
    log = Log(name, file)
    recording.collect(Recorder(log, qos=0), log, port, ready)


def observe(name: str, address: str, port: int, file: Path, ready: Path) -> None:
    """Log every message that a foreign broker passes on, until SIGTERM, as `follow` does. The log's
    line `recording` says that it was observed.

    Raises:
        recording.Refused: the broker refuses the recorder.
    """
    log = Log(name, file)
    log.note("recording")
    observer = Recorder(log, qos=2, keepalive_s=_OBSERVER_KEEPALIVE_S)
    recording.follow(observer, log, port, ready, _OBSERVER_RETRY_S, address=address)


def follow(name: str, port: int, file: Path, ready: Path) -> None:
    """Log every message on any topic until SIGTERM, and reconnect after a restart of the broker."""
    log = Log(name, file)
    recording.follow(Recorder(log, qos=2), log, port, ready, _RETRY_S)
