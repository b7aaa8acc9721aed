"""Write the seed corpus of the fuzzers: one short, valid life of each engine and role.

    make_corpus.py DIRECTORY

Each file is a script for drive.c: the number of the configuration, then steps of an operation, an
argument and, for input, that many bytes. Fuzzers start from states that they would hardly reach by
chance, such as an open WebSocket.
"""

from __future__ import annotations

import base64
import hashlib
import sys
from pathlib import Path

import simulators
import words

_MASK = 0xFFFFFFFF
_FEED, _PUBLISH, _WAIT, _CLOSE, _FINISH = 0x07, 0x00, 0x01, 0x02, 0x04
_TAKE, _ANSWER, _ANSWER_OLDER = 0x05, _FEED | 0x10, _FEED | 0x30  # answer.h


def feed(text: str | bytes, operation: int = _FEED) -> bytes:
    """Input for the engine: bytes, or hexadecimal digits."""
    data = bytes.fromhex(text) if isinstance(text, str) else text
    return b"".join(
        bytes([operation, len(data[at : at + 255])]) + data[at : at + 255]
        for at in range(0, len(data), 255)
    )


def step(operation: int, argument: int = 3) -> bytes:
    """Any other step."""
    return bytes([operation, argument])


def answer(text: str, operation: int = _ANSWER) -> bytes:
    """A CoAP message that answers what the engine sent last, or last but one: its message ID, if it
    is an ACK or a RST, and its token, of four bytes, are put in."""
    return step(_TAKE) + feed(text, operation)


class Random:
    """The firmware's generator (firmware/core/random.c), for what depends on it."""

    def __init__(self, seed: int) -> None:
        def split() -> int:
            nonlocal seed
            seed = (seed + 0x9E3779B9) & _MASK
            z = (seed ^ seed >> 16) * 0x85EBCA6B & _MASK
            z = (z ^ z >> 13) * 0xC2B2AE35 & _MASK
            return z ^ z >> 16

        self.a, self.b = split(), split() | 1

    def next(self) -> int:
        """The next 32 bits."""

        def rotate(x: int, k: int) -> int:
            return (x << k | x >> (32 - k)) & _MASK

        a, b = self.a, self.b ^ self.a
        result = rotate(a * 0x9E3779BB & _MASK, 5) * 5 & _MASK
        self.a = (rotate(a, 26) ^ b ^ b << 9) & _MASK
        self.b = rotate(b, 13)
        return result


def websocket_answer() -> bytes:
    """The server's handshake for the key that seed 1 makes."""
    dice = Random(1)
    key = base64.b64encode(bytes(dice.next() & 255 for _ in range(16)))
    digest = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
    return (
        b"HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
        + base64.b64encode(digest)
        + b"\r\n\r\n"
    )


def amqp_opening() -> bytes:
    """Connection.Start to Queue.Declare-Ok."""
    frames = (
        "01000000000018000a000a00090000000000000005504c41494e0000000000ce",
        "0100000000000c000a001e07ff00020000003cce",
        "01000000000005000a002900ce",
        "010001000000080014000b00000000ce",
        "0100010000000f0032000b0274770000000000000000ce",
    )
    return b"".join(feed(frame) for frame in frames)


def http(method: str, more: str = "\r\n") -> bytes:
    """A request for the fuzzers' resource."""
    return f"{method} /a HTTP/1.1\r\nHost: b\r\n{more}".encode()


_CONNACK, _SUBACK = feed("20020000"), feed("9003000100")
_SN_READY = feed("030500") + feed("070b0001000200")
_QOS2_IN = feed("34060001740001ff") + feed("62020001")
_ECHOED = "300f000c" + b"tw/data/echo!".hex()
_CHUNKED = "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
_SIXTEEN = "30" * 16
_UPLOAD = f"40020001b161d10308ff{_SIXTEEN}"
_DELIVERY = (
    "01000100000014003c003c02747700000000000000050000027477ce"
    "0200010000000e003c000000000000000000010000ce"
    "0300010000000178ce"
)

CORPUS = {
    "fuzz_mqtt": {
        "qos1": b"\1" + _CONNACK + step(_PUBLISH) + feed("40020001") + step(_WAIT, 255),
        "qos2": b"\2" + _CONNACK + step(_PUBLISH) + feed("50020001") + feed("70020001"),
        "resume": b"\2" + _CONNACK + step(_PUBLISH) + step(_CLOSE) + feed("20020100"),
        "subscribe": b"\3" + _CONNACK + _SUBACK + _QOS2_IN + step(_FINISH),
        "echo": b"\4" + _CONNACK + _SUBACK + feed("320600017400ffff") + step(_PUBLISH),
        "answer": b"\1" + _CONNACK + _SUBACK + step(_PUBLISH) + 2 * feed(_ECHOED),
        "quirk": b"\5" + _CONNACK + _SUBACK + feed("300400017461" * 3),
    },
    "fuzz_mqttsn": {
        "publish": b"\0" + _SN_READY + step(_PUBLISH),
        "will": b"\1" + feed("0206") + feed("0208") + _SN_READY + step(_PUBLISH),
        "qos2": b"\2" + feed("030500") + step(_PUBLISH) + feed("040f0002") + feed("040e0002"),
        "search": b"\3" + feed("030208") + feed("030500") + feed("0813400007000300"),
        "sleep": b"\5" + feed("030500") + feed("0813000007000200") + step(_WAIT, 40) + feed("0218"),
    },
    "fuzz_coap_client": {
        "post": b"\0" + step(_PUBLISH) + answer("6444000000000000") + step(_WAIT, 60),
        "separate": b"\0" + step(_PUBLISH) + answer("60000000") + answer("4444123400000000"),
        "reset": b"\1" + step(_PUBLISH) + answer("70000000"),
        "refused": b"\0" + step(_PUBLISH) + answer("64a0000000000000ff6e6f"),
        "blocks": b"\2"
        + step(_PUBLISH, 16)
        + answer(f"645f{0:012x}d10e09")  # blocks of 32 bytes; from the second on of 16
        + answer(f"645f{0:012x}d10e18")
        + answer(f"6444{0:012x}d10e28"),
        "smaller": b"\2" + step(_PUBLISH, 16) + answer(f"645f{0:012x}d10e08"),
        "observe": b"\3"
        + answer("6445000000000000610560ff61")
        + answer("5445000100000000610660ff62")
        + answer("4445000200000000610760ff63")
        + answer(f"44450003000000006108d10408ff{_SIXTEEN}")
        + answer("5445000400000000610960ff65", _ANSWER_OLDER)
        + answer(f"6445{0:012x}d10a10ff64")
        + step(_WAIT, 90),
        "poll": b"\4"
        + step(_PUBLISH)
        + answer(f"6445{0:012x}d10a08ff{_SIXTEEN}")
        + answer(f"6445{0:012x}d10a10ff64"),
    },
    "fuzz_coap_server": {
        "get": b"\0" + feed("41010001aab161") + feed("41010001aab161"),
        "observe": b"\0" + feed("41010001aa605161") + step(_PUBLISH) + step(_WAIT, 60),
        "forget": b"\0" + feed("41010001aa605161") + step(_PUBLISH) + answer("70000000"),
        "separate": b"\1" + feed("41010001aab161") + step(_WAIT, 20),
        "blocks": b"\2" + feed("40010001b161") + feed("40010002b161c110"),
        "upload": b"\0" + feed(_UPLOAD) + feed("40020002b161d10310ff31"),
        "core": b"\0" + feed(b"\x40\x01\x00\x01\xbb.well-known\x04core"),
    },
    "fuzz_http_server": {
        "get": b"\0" + feed(http("GET")) + feed(http("HEAD")),
        "post": b"\0" + feed(http("POST", "Content-Length: 2\r\n\r\nhi")),
        "chunked": b"\1" + feed(http("PUT", _CHUNKED)),
        "pieces": b"\3" + feed(http("GET")),
        "close": b"\2" + feed(http("GET", "Connection: close\r\nExpect: 100-continue\r\n\r\n")),
    },
    "fuzz_http_client": {
        "length": b"\0" + step(_PUBLISH) + feed(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
        "chunked": b"\1" + step(_PUBLISH) + feed(b"HTTP/1.1 200 OK\r\n" + _CHUNKED.encode()),
        "until_close": b"\2" + step(_PUBLISH) + feed(b"HTTP/1.0 200 OK\r\n\r\nhi") + step(_CLOSE),
    },
    "fuzz_websocket": {
        "publish": b"\0" + feed(websocket_answer()) + step(_PUBLISH) + feed("8a0400000001"),
        "fragments": b"\1" + feed(websocket_answer()) + step(_PUBLISH, 60),
        "receive": b"\2"
        + feed(websocket_answer())
        + feed("01026869")
        + feed("8900")
        + feed("8000"),
        "close": b"\3" + feed(websocket_answer()) + feed("880203e8"),
        "answer": b"\0" + feed(websocket_answer()) + step(_PUBLISH) + feed("8103747730"),
    },
    "fuzz_amqp": {
        "publish": b"\0"
        + amqp_opening()
        + feed("010001000000040055000bce")
        + step(_PUBLISH)
        + feed("0100010000000d003c0050000000000000000100ce"),
        "resend": b"\2"
        + 2 * (amqp_opening() + feed("010001000000040055000bce") + step(_PUBLISH) + step(_CLOSE)),
        "consume": b"\3"
        + amqp_opening()
        + feed("01000100000004003c000bce")
        + feed("01000100000007003c0015027477ce")
        + feed(_DELIVERY),
    },
    "fuzz_raw_tcp": {
        "publish": b"\0" + step(_PUBLISH) + feed("0200000000000001"),
        "serve": b"\2" + feed("01010002000000016869"),
    },
    "fuzz_raw_udp": {
        "publish": b"\0" + step(_PUBLISH) + feed("0200000000000001"),
        "serve": b"\2" + feed("01010002000000016869"),
    },
    "fuzz_config": {
        "all": " ".join(f"{name}={value}" for name, value in words.firmware_keys()).encode(),
        "payload": b"board1 17 20345678 ...........",
        "compact": b"board1:17..",
    },
}


# fuzz_stack's configurations (stack/fuzz_stack.c) that have the same lives, and its operations.
_STACK = {
    ("fuzz_mqtt", "qos1"): 1,
    ("fuzz_mqtt", "qos2"): 2,
    ("fuzz_mqtt", "subscribe"): 3,
    ("fuzz_mqtt", "echo"): 4,
    ("fuzz_mqttsn", "publish"): 5,
    ("fuzz_mqttsn", "search"): 6,
    ("fuzz_coap_client", "blocks"): 7,
    ("fuzz_coap_client", "observe"): 8,
    ("fuzz_coap_server", "forget"): 9,
    ("fuzz_coap_server", "observe"): 9,
    ("fuzz_coap_server", "upload"): 10,
    ("fuzz_http_client", "length"): 11,
    ("fuzz_http_client", "chunked"): 12,
    ("fuzz_http_server", "post"): 13,
    ("fuzz_http_server", "chunked"): 14,
    ("fuzz_websocket", "publish"): 15,
    ("fuzz_websocket", "receive"): 17,
    ("fuzz_amqp", "publish"): 18,
    ("fuzz_amqp", "consume"): 19,
    ("fuzz_raw_tcp", "publish"): 20,
    ("fuzz_raw_tcp", "serve"): 21,
    ("fuzz_raw_udp", "publish"): 22,
    ("fuzz_raw_udp", "serve"): 23,
    ("fuzz_mqtt", "quirk"): 24,
    ("fuzz_mqtt", "resume"): 25,
    ("fuzz_http_server", "pieces"): 26,
    ("fuzz_coap_server", "blocks"): 27,
    ("fuzz_mqtt", "answer"): 28,
    ("fuzz_websocket", "answer"): 29,
}
_STACK_OPERATIONS = {
    _FEED: 8,
    _PUBLISH: 0,
    _TAKE: 0,
    _WAIT: 1,
    _CLOSE: 3,
    _FINISH: 0,
}
_STACK_HANDSHAKE = step(4)


def on_stack(script: bytes, configuration: int) -> bytes:
    """The script for fuzz_stack: the same input, once a connection stands."""
    out = bytes([configuration]) + step(_PUBLISH)
    at = 1
    while at + 1 < len(script):
        operation, argument = script[at], script[at + 1]
        size = 2 + (argument if operation & 15 == _FEED else 0)
        if script[at + 2 : at + size].startswith(b"HTTP/1.1 101"):
            out += _STACK_HANDSHAKE
        else:
            marks, kind = operation & 0xF0, _STACK_OPERATIONS[operation & 15]
            out += step(marks | kind, argument) + script[at + 2 : at + size]
        out += step(_PUBLISH)
        at += size
    return out


CORPUS["fuzz_stack"] = {
    f"{fuzzer[5:]}-{name}": on_stack(CORPUS[fuzzer][name], number)
    for (fuzzer, name), number in _STACK.items()
}
# A frame of its own: an ICMP echo request, and a TCP segment to a closed port.
_ETHERNET = "025457000001" + "020000000002" + "0800"
_ECHO = _ETHERNET + "4500001c00010000400100000a4d00010a4d0002" + "0800000000010001"
_SYN = (
    _ETHERNET
    + "4500002800010000400600000a4d00010a4d0002"
    + "9c40005000000001000000005002200000000000"
)
CORPUS["fuzz_stack"]["frames"] = b"\0" + b"".join(
    bytes([6, len(frame) // 2]) + bytes.fromhex(frame) for frame in (_ECHO, _SYN)
)
# Ends before the length in its IPv4 header, which lwIP 2.1.3 reads (lx106/lwip/lwip_hooks.h).
CORPUS["fuzz_stack"]["short"] = bytes([0, 6, 16]) + bytes.fromhex(_ETHERNET + "4500")


def crafted(flags: int, seq: int = 0, ack: int = 0, window: int = 128, data: bytes = b"") -> bytes:
    """A segment of the connection (stack/wire.h), and 50 ms."""
    content = bytes([flags, seq & 255, ack & 255, window, 0]) + data
    return bytes([0x16, len(content)]) + content + step(0)


_FIN, _SYN_FLAG, _RST, _ACK = 1, 2, 4, 16
CORPUS["fuzz_stack"] |= {
    # Holes, filled from behind; then what ends the connection where it must not.
    "holes": bytes([20])
    + step(0)
    + crafted(_ACK, 20, data=b"c" * 10)
    + crafted(_ACK, 40, data=b"e" * 10)
    + crafted(_ACK | _FIN, 50, data=b"f")
    + crafted(_ACK, 5, data=b"b" * 20)
    + crafted(_ACK, data=b"a" * 45)
    + crafted(_RST, 3)
    + crafted(_SYN_FLAG, 1)
    + crafted(_ACK, -30, data=b"old" * 12),
    # Nothing is acknowledged but the same again; the window closes, and opens.
    "window": bytes([1])
    + step(0)
    + feed("20020000", 8)
    + step(1, 12)
    + crafted(_ACK, ack=-20) * 4
    + crafted(_ACK, window=0)
    + step(1, 30)
    + crafted(_ACK, window=1)
    + step(1, 60)
    + crafted(_ACK, ack=50)
    + crafted(_ACK | _FIN),
}

CORPUS |= simulators.CORPUS


def main() -> int:
    """Write the files."""
    if len(sys.argv) != 2:
        print("thinwire: error: make_corpus.py: DIRECTORY: missing; say where", file=sys.stderr)
        return 2
    for fuzzer, files in CORPUS.items():
        folder = Path(sys.argv[1]) / fuzzer
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
