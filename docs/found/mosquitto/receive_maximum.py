"""A defect of mosquitto 2.0.11 with MQTT 5 (../mosquitto-receive-maximum.md).

receive_maximum.py MOSQUITTO MAXIMUM    how many messages are open with this Receive Maximum

MOSQUITTO is the broker's program. 60 messages at QoS 1 wait for a subscriber that acknowledges the
oldest one whenever the broker has sent nothing for 50 ms.
"""

import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOST = "127.0.0.1"
MESSAGES = 60
TOPIC = struct.pack("!H", 1) + b"t"
CONNACK, PUBLISH, PUBACK, SUBACK = 2, 3, 4, 9


class Connection:
    """An MQTT 5 connection. All packets here are shorter than 128 bytes: one byte of length."""

    def __init__(self, port: int, name: bytes, properties: bytes = b"") -> None:
        self._socket = socket.create_connection((HOST, port))
        self._socket.settimeout(0.05)
        head = b"\x00\x04MQTT\x05\x02\x00\x00" + bytes([len(properties)]) + properties
        self.send(0x10, head + struct.pack("!H", len(name)) + name)
        self.expect(CONNACK)

    def send(self, head: int, body: bytes) -> None:
        """Send a packet."""
        self._socket.sendall(bytes([head, len(body)]) + body)

    def receive(self) -> tuple[int, bytes] | None:
        """Return the next packet's kind and contents; None if there is none for 50 ms."""
        try:
            head = self._socket.recv(2, socket.MSG_WAITALL)
        except TimeoutError:
            return None
        if len(head) < 2:
            sys.exit("the broker has closed the connection")
        return head[0] >> 4, self._socket.recv(head[1], socket.MSG_WAITALL)

    def expect(self, kind: int) -> None:
        """Wait for a packet of this kind."""
        found = None
        while found is None:
            found = self.receive()
        if found[0] != kind:
            sys.exit(f"a packet of kind {found[0]}, not {kind}")


def show(port: int, maximum: int) -> None:
    """Print how many messages were open at most."""
    subscriber = Connection(port, b"subscriber", struct.pack("!BH", 0x21, maximum))
    subscriber.send(0x82, b"\x00\x01\x00" + TOPIC + b"\x01")
    subscriber.expect(SUBACK)
    publisher = Connection(port, b"publisher")
    for number in range(1, MESSAGES + 1):
        publisher.send(0x32, TOPIC + struct.pack("!H", number) + b"\x00reading")
        publisher.expect(PUBACK)
    waiting: list[bytes] = []
    arrived = most = 0
    while arrived < MESSAGES or waiting:
        packet = subscriber.receive()
        if packet is None:
            subscriber.send(0x40, waiting.pop(0))
        elif packet[0] == PUBLISH:
            arrived += 1
            waiting.append(packet[1][len(TOPIC) : len(TOPIC) + 2])
            most = max(most, len(waiting))
    print(f"Receive Maximum {maximum}: {most} messages were open, {arrived} arrived")


def main() -> None:
    """Show the defect."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "mosquitto.conf")
        settings.write_text(f"listener {port} {HOST}\nallow_anonymous true\n")
        command = [sys.argv[1], "-c", str(settings)]
        broker = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        try:
            show(port, int(sys.argv[2]))
        finally:
            broker.kill()


if __name__ == "__main__":
    main()
