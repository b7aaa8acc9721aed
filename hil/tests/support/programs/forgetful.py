#!/usr/bin/env python3
"""Publish a reading each 250 ms at QoS 1 without a library. A connection that answers nothing for
1 s is replaced. This client has a defect on purpose: it forgets what was not acknowledged."""

import socket
import sys
import time

INTERVAL_S, PATIENCE_S, MESSAGES = 0.25, 1.0, 40


def text(value: str) -> bytes:
    data = value.encode()
    return len(data).to_bytes(2, "big") + data


def exactly(link: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        part = link.recv(length - len(data))
        if not part:
            raise ConnectionError("closed by the server")
        data += part
    return data


def connect(server: str, port: int, identifier: str) -> socket.socket:
    while True:
        try:
            link = socket.create_connection((server, port), PATIENCE_S)
            body = text("MQTT") + bytes([4, 0]) + (60).to_bytes(2, "big") + text(identifier)
            link.sendall(bytes([0x10, len(body)]) + body)
            exactly(link, 4)
        except OSError as error:
            print(f"no connection: {error}", flush=True)
            time.sleep(0.5)
        else:
            return link


def main() -> int:
    server, port, identifier, topic = sys.argv[1:]
    link = connect(server, int(port), identifier)
    for number in range(1, MESSAGES + 1):
        reading = f'{{"reading":{number},"celsius":21.5}}'.encode()
        body = text(topic) + number.to_bytes(2, "big") + reading
        try:
            link.sendall(bytes([0x32, len(body)]) + body)
            exactly(link, 4)
        except OSError as error:
            print(f"reading {number}: {error}", flush=True)
            link.close()
            link = connect(server, int(port), identifier)  # the defect: the reading is not repeated
        time.sleep(INTERVAL_S)
    link.sendall(bytes([0xE0, 0]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
