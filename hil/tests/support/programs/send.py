#!/usr/bin/env python3
"""Send ten readings by a protocol in 5 s, stay 3 s: send.py PROTOCOL SERVER PORT."""

import http.client
import os
import socket
import struct
import sys
import time

COUNT = 10


def readings() -> list[bytes]:
    """Two are equal, and one is longer than what a recorder logs."""
    made = [f"reading {number}".encode() for number in range(1, COUNT - 1)]
    return [*made, made[0], made[0] + b"." * 60]


def by_http(server: str, port: int, body: bytes) -> None:
    connection = http.client.HTTPConnection(server, port)
    connection.request("POST", "/tw/data", body)
    connection.getresponse().read()
    connection.close()


def datagrams(server: str, port: int) -> socket.socket:
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.connect((server, port))
    return sender


def mqttsn(sender: socket.socket, kind: int, body: bytes) -> bytes:
    sender.send(bytes([len(body) + 2, kind]) + body)
    return sender.recv(200)


def websocket(server: str, port: int) -> socket.socket:
    sender = socket.create_connection((server, port))
    sender.sendall(
        b"GET / HTTP/1.1\r\nHost: server\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    sender.recv(1000)
    return sender


def frame(body: bytes) -> bytes:
    mask = os.urandom(4)
    masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(body))
    return bytes([0x82, 0x80 | len(body)]) + mask + masked


def main() -> None:
    protocol, server, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if protocol in {"udp", "coap", "mqttsn"}:
        link = datagrams(server, port)
    if protocol == "websocket":
        link = websocket(server, port)
    if protocol == "mqttsn":
        mqttsn(link, 0x04, b"\x04\x01\x00\x3cs1")
        topic = mqttsn(link, 0x0A, b"\x00\x00\x00\x01tw/data")[2:4]
    for number, body in enumerate(readings(), start=1):
        if protocol == "http":
            by_http(server, port, body)
        elif protocol == "udp":
            link.send(body)
        elif protocol == "coap":
            link.send(b"\x50\x02" + struct.pack(">H", number) + b"\xb2tw\x04data\xff" + body)
        elif protocol == "mqttsn":
            mqttsn(link, 0x0C, b"\x20" + topic + struct.pack(">H", number) + body)
        elif protocol == "websocket":
            link.sendall(frame(body))
        time.sleep(0.5)
    time.sleep(3)


main()
