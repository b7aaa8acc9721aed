"""The MQTT broker mosquitto, and a subscriber of ours that logs what reached it.

The subscriber sits on the broker's loopback interface, at QoS 0: it puts no frame on the measured
link, and within one host nothing is lost.
"""

from __future__ import annotations

import functools
import socket
import struct
import time
from pathlib import Path

from hil.servers import base
from hil.testbeds import plan, processes

_CONF = """\
listener {port} 0.0.0.0
allow_anonymous true
persistence false
sys_interval 0
user root
log_dest stderr
log_type error
log_type warning
connection_messages false
set_tcp_nodelay true
max_queued_messages 0
"""
_PUBLISH = 3


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
    log = base.Log(name, file)
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

    def start(self) -> None:
        conf = self.folder / f"{self.name}.conf"
        conf.write_text(_CONF.format(port=self.port), encoding="utf-8")
        broker = processes.spawn(
            ["mosquitto", "-c", str(conf)], self.namespace, self.folder / f"{self.name}.broker.out"
        )
        self.children.append(broker)
        base.wait_accepts(broker, self.port, self.namespace)
        ready = self.folder / f"{self.name}.ready"
        listener = processes.fork(
            "the MQTT subscriber",
            functools.partial(subscriber, self.name, self.port, self.log, ready),
            self.namespace, self.folder / f"{self.name}.subscriber.out",
        )  # fmt: skip
        self.children.append(listener)
        listener.wait_for(ready.exists)


class Mosquitto(Broker):
    name, port = "mosquitto", plan.PORTS["mqtt"]
