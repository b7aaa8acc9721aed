"""A subscriber that misses nothing when its broker is restarted: QoS 2, a session that is resumed.

It asks for QoS 2, so that every message comes at the QoS it was published with. What the broker
sends a second time, because its own acknowledgement was lost with the connection, is not logged
twice: DUP in a PUBLISH is the broker's word about this very delivery (MQTT 3.1.1, section 3.3.1.1).
"""

from __future__ import annotations

from collections import deque
from pathlib import Path

from hil.peers import recording
from hil.peers.log import Log
from hil.peers.mqtt import codec as mqtt

CLIENT_ID = b"thinwire-log"
_RETRY_S = 0.05
_REMEMBERED = 256  # deliveries that the broker may repeat: more than it keeps in flight


class Recorder:
    """The protocol, without I/O: bytes in, bytes out, messages to the log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._unreleased: set[int] = set()  # QoS 2: taken, and PUBREL not yet seen
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=_REMEMBERED)
        self.ready = False  # subscribed

    def greeting(self) -> bytes:
        """What opens a connection."""
        self._stream = mqtt.Stream()
        return mqtt.connect(CLIENT_ID, clean=False) + mqtt.subscribe(1, b"#", 2)

    def feed(self, data: bytes, stamp: int) -> bytes:
        """Handle what came at `stamp` (ns); what is to be sent. Raises as `take`."""
        return b"".join(self.take(packet, stamp) for packet in self._stream.feed(data))

    def take(self, packet: mqtt.Packet, stamp: int) -> bytes:
        """Handle a packet that came at `stamp` (ns); what is to be sent.

        Raises:
            mqtt.Malformed: the broker breaks the protocol.
        """
        if packet.kind == mqtt.PUBLISH:
            return self._publish(mqtt.parse_publish(packet), stamp)
        if packet.kind == mqtt.PUBREL:
            number = mqtt.packet_id(packet)
            self._unreleased.discard(number)
            return mqtt.acknowledge(mqtt.PUBCOMP, number)
        if packet.kind == mqtt.CONNACK and not packet.body[0] & 1:  # the broker knows no session
            self._unreleased.clear()
        self.ready |= packet.kind == mqtt.SUBACK
        return b""

    def _publish(self, message: mqtt.Message, stamp: int) -> bytes:
        mark = message.packet_id, message.payload
        repeated = message.packet_id in self._unreleased or (message.dup and mark in self._recent)
        if not repeated:
            self._log.received(message.payload, stamp, topic=message.topic.decode(errors="replace"))
        if message.qos == 0:
            return b""
        self._recent.append(mark)
        if message.qos == 1:
            return mqtt.acknowledge(mqtt.PUBACK, message.packet_id)
        self._unreleased.add(message.packet_id)
        return mqtt.acknowledge(mqtt.PUBREC, message.packet_id)


def record(name: str, port: int, file: Path, ready: Path) -> None:
    """Log every message on any topic until SIGTERM, over as many connections as it takes."""
    log = Log(name, file)
    recording.record(Recorder(log), log, port, ready, _RETRY_S)
