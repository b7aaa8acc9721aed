"""A defect of mosquitto 2.0.11 and 2.0.21 with MQTT 5 (../mosquitto-clean-start.md).

clean_start.py MOSQUITTO CLEAN    is a session still there after a restart of the broker?

MOSQUITTO is the broker's program, CLEAN the Clean Start flag (0 or 1) of the connection that begins
the session. Its expiry interval is an hour. The broker ends by SIGTERM, and starts with what it has
stored.
"""

import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOST = "127.0.0.1"
EXPIRY = struct.pack("!BBI", 5, 0x11, 3600)  # of the session, s


def present(port: int, clean: int) -> bool:
    """Connect as `device`, and return whether CONNACK reports a session."""
    head = b"\x00\x04MQTT\x05" + bytes([clean << 1, 0, 0]) + EXPIRY
    connect = head + b"\x00\x06device"
    with socket.create_connection((HOST, port)) as connection:
        connection.sendall(bytes([0x10, len(connect)]) + connect)
        answer = connection.recv(4, socket.MSG_WAITALL)
    if len(answer) < 4 or answer[0] != 0x20 or answer[3]:
        sys.exit(f"no connection: {answer.hex()}")
    return bool(answer[2] & 1)


def start(command: list[str], port: int) -> subprocess.Popen[bytes]:
    """Start the broker, and wait until it listens."""
    broker = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection((HOST, port)).close()
            return broker
        except ConnectionRefusedError:
            time.sleep(0.05)
    broker.kill()
    sys.exit("the broker does not listen")


def main() -> None:
    """Show the defect."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    clean = int(sys.argv[2])
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "mosquitto.conf")
        settings.write_text(
            f"listener {port} {HOST}\nallow_anonymous true\nuser root\n"
            f"persistence true\npersistence_location {folder}/\n"
        )
        for again in (False, True):
            broker = start([sys.argv[1], "-c", str(settings)], port)
            try:
                there = present(port, 0 if again else clean)
            finally:
                broker.terminate()
                broker.wait()
    print(f"Clean Start {clean}: {'there' if there else 'lost'} after the restart")


if __name__ == "__main__":
    main()
