#!/usr/bin/env python3
"""A foreign device of the tests with its own Ethernet, ARP, IPv4 and UDP at a TAP: a CoAP client
(RFC 7252) that sends confirmable POSTs: stack.py INTERFACE MAC IP SERVER PORT MESSAGES."""

import fcntl
import os
import select
import struct
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 2, 0x1000
ARP, IPV4, UDP = 0x0806, 0x0800, 17
BROADCAST = b"\xff" * 6


def dotted(text):
    return bytes(map(int, text.split(".")))


def checksum(data):
    """RFC 1071."""
    total = sum(struct.unpack(f">{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class Stack:
    def __init__(self, interface, mac, ip, server, port):
        self.mac, self.ip = bytes.fromhex(mac.replace(":", "")), dotted(ip)
        self.server, self.port, self.gateway = dotted(server), int(port), None
        self.tap = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(
            self.tap, TUNSETIFF, struct.pack("16sH22x", interface.encode(), IFF_TAP | IFF_NO_PI)
        )

    def send(self, to, kind, body):
        os.write(self.tap, to + self.mac + struct.pack(">H", kind) + body)

    def arp(self, operation, to, address):
        head = struct.pack(">HHBBH", 1, IPV4, 6, 4, operation)
        self.send(
            to, ARP, head + self.mac + self.ip + (bytes(6) if operation == 1 else to) + address
        )

    def datagram(self, payload):
        udp = struct.pack(">HHHH", 5683, self.port, 8 + len(payload), 0) + payload
        pseudo = self.ip + self.server + struct.pack(">HH", UDP, len(udp))
        udp = udp[:6] + struct.pack(">H", checksum(pseudo + udp) or 0xFFFF) + payload
        head = (
            struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0x4000, 64, UDP, 0)
            + self.ip
            + self.server
        )
        head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
        self.send(self.gateway, IPV4, head + udp)

    def receive(self, timeout):
        """Return the payload of a datagram from the server; None if none comes in time."""
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self.tap], [], [], left)[0]:
                continue
            frame = os.read(self.tap, 2048)
            kind = int.from_bytes(frame[12:14], "big")
            if kind == ARP and frame[38:42] == self.ip:
                if frame[20:22] == b"\0\1":
                    self.arp(2, frame[22:28], frame[28:32])
                elif frame[28:32] == self.server:
                    self.gateway = frame[22:28]
                    return b""
            elif kind == IPV4 and frame[23] == UDP and frame[30:34] == self.ip:
                return frame[42 : 34 + int.from_bytes(frame[38:40], "big")]
        return None


def main():
    stack, count = Stack(*sys.argv[1:6]), int(sys.argv[6])
    while stack.gateway is None:
        stack.arp(1, BROADCAST, stack.server)
        stack.receive(1)
    for number in range(1, count + 1):
        options = b"\xb2tw\x04data\xff"
        request = b"\x40\x02" + struct.pack(">H", number) + options + f"message {number}".encode()
        for attempt in range(5):
            stack.datagram(request)
            answer = stack.receive(2 << attempt)
            if answer and answer[2:4] == request[2:4]:
                print(f"message {number}: {answer[1] >> 5}.{answer[1] & 31:02}", flush=True)
                break
        time.sleep(0.5)


main()
