"""The MQTT broker mosquitto, and a subscriber of ours that logs what reached it.

The subscriber sits on the broker's loopback interface, at QoS 0: it puts no frame on the measured
link, and within one host nothing is lost. Where the broker is restarted in a trial, broker and
subscriber are durable ones: the broker saves its state when it stops, and the subscriber
(mqtt_recorder.py) has a persistent session.
"""

from __future__ import annotations

import functools
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path

from hil.design import plan
from hil.peers import base
from hil.peers.log import Log
from hil.peers.mqtt import recorder as mqtt_recorder
from hil.system import processes

_CONF = """\
listener {port} 0.0.0.0
allow_anonymous true
sys_interval 0
user root
log_dest stderr
log_type error
log_type warning
connection_messages false
set_tcp_nodelay true
max_queued_messages 0
"""
_TRANSIENT = "persistence false\n"
# Saved when it stops, and not before: no write of the broker's falls into a trial. What comes while
# the subscriber is not back yet waits for it, at QoS 0 too.
_DURABLE = """\
persistence true
persistence_location {folder}/
autosave_interval 0
queue_qos0_messages true
"""
_PUBLISH = 3
Record = Callable[[str, int, Path, Path], None]


def _connect_and_subscribe(topic: str) -> bytes:
    """MQTT 3.1.1 CONNECT (clean session, no keep-alive) and SUBSCRIBE, sections 3.1, 3.8."""
    client = b"thinwire-log"
    connect = b"\0\4MQTT\4\2\0\0" + struct.pack(">H", len(client)) + client
    subscribe = b"\0\1" + struct.pack(">H", len(topic)) + topic.encode() + b"\0"
    return b"".join(
        bytes([kind, len(body)]) + body for kind, body in ((0x10, connect), (0x82, subscribe))
    )


def messages(chunks: list[tuple[int, bytes]]) -> list[tuple[int, str, bytes]]:
    """(arrival in ns, topic, payload) of every PUBLISH in a stream that came in stamped chunks.

    A message has the stamp of the chunk that completes it. Section 2.2 gives the fixed header.
    """
    found, buffer = [], b""
    for stamp, chunk in chunks:
        buffer += chunk
        at = 0
        while at + 2 <= len(buffer):
            length, shift, body = 0, 0, at + 1
            while body < len(buffer):
                length |= (buffer[body] & 0x7F) << shift
                shift, body = shift + 7, body + 1
                if not buffer[body - 1] & 0x80:
                    break
            else:
                break
            if body + length > len(buffer):
                break
            if buffer[at] >> 4 == _PUBLISH:
                (size,) = struct.unpack_from(">H", buffer, body)
                start = body + 2 + size + (2 if buffer[at] & 6 else 0)
                topic = buffer[body + 2 : body + 2 + size].decode(errors="replace")
                found.append((stamp, topic, buffer[start : body + length]))
            at = body + length
        buffer = buffer[at:]
    return found


def subscriber(name: str, port: int, file: Path, ready: Path) -> None:
    """Log every message on any topic until SIGTERM. Bytes are parsed afterwards: no one waits."""
    log = Log(name, file)
    chunks: list[tuple[int, bytes]] = []
    base.stop_on_sigterm()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(_connect_and_subscribe("#"))
        while len(b"".join(chunk for _, chunk in chunks)) < 4 + 5:  # CONNACK, SUBACK
            chunks.append((0, connection.recv(64)))
        ready.touch()
        chunks.clear()
        try:
            while data := connection.recv(65536):
                chunks.append((time.time_ns(), data))
        except base.Stop:
            pass
    for stamp, topic, payload in messages(chunks):
        log.received(payload, stamp, topic=topic)
    log.write()


class Broker(base.Server):
    """A broker on `port`, and the subscriber, which writes `log`."""

    port: int
    durable = False

    def start(self) -> None:
        self.start_broker()
        self._start_subscriber(subscriber)

    def start_broker(self) -> None:
        conf = self.folder / f"{self.name}.conf"
        store = self.folder / f"{self.name}.store"
        store.mkdir(exist_ok=True)
        text = _CONF.format(port=self.port)
        text += _DURABLE.format(folder=store) if self.durable else _TRANSIENT
        conf.write_text(text, encoding="utf-8")
        broker = processes.spawn(
            ["mosquitto", "-c", str(conf)], self.namespace, self.folder / f"{self.name}.broker.out"
        )
        self.children.append(broker)
        base.wait_accepts(broker, self.port, self.namespace)

    def _start_subscriber(self, record: Record) -> None:
        ready = self.folder / f"{self.name}.ready"
        ready.unlink(missing_ok=True)
        listener = processes.fork(
            "the MQTT subscriber",
            functools.partial(record, self.name, self.port, self.log, ready),
            self.namespace, self.folder / f"{self.name}.subscriber.out",
        )  # fmt: skip
        self.children.append(listener)
        listener.wait_for(ready.exists)

    def make_durable(self) -> None:
        self.stop()
        self.children.clear()
        self.durable = True
        self.start_broker()
        self._start_subscriber(mqtt_recorder.record)


class Gateway(Broker):
    """What stands before a broker of its own. Only the gateway is restarted: broker and subscriber
    stay, and need not be durable. Subclasses start it in `start_front`."""

    front = 2

    def start(self) -> None:
        super().start()
        self.start_front()

    def make_durable(self) -> None:
        return


class Mosquitto(Broker):
    name, port = "mosquitto", plan.port("mqtt")

    def start_front(self) -> None:
        self.start_broker()
