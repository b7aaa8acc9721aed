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
from collections.abc import Iterable
from pathlib import Path

import simulators
import stack_seeds
import words
from steps import ANSWER_OLDER, CLOSE, FINISH, PUBLISH, WAIT, answer, feed, step

_MASK = 0xFFFFFFFF


class Random:
    """The firmware's generator (firmware/core/util/random.c), for what depends on it."""

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


def each(message: str, identifiers: Iterable[int]) -> bytes:
    """The message (hexadecimal digits, `{:04x}` for its identifier) with each of these."""
    return b"".join(feed(message.format(identifier)) for identifier in identifiers)


def http(method: str, more: str = "\r\n") -> bytes:
    """A request for the fuzzers' resource."""
    return f"{method} /a HTTP/1.1\r\nHost: b\r\n{more}".encode()


_CONNACK5, _SUBACK5 = feed("2003000000"), feed("900400010000")
_ALIASES = feed("20060000" + "03" + "22000a")
_CONNACK, _SUBACK = feed("20020000"), feed("9003000100")
_SN_READY = feed("030500") + feed("070b0001000200")
_SN_SUBSCRIBED = feed("030208") + feed("030500") + feed("0813400007000300")
_QOS2, _SN_QOS2 = "3406000174{:04x}ff", "080c400007{:04x}61"
_QOS2_IN = feed("34060001740001ff") + feed("62020001")
# Identifiers that are more runs than id_set.h has, and as many runs, of which one can be cut.
_APART, _SPLIT = range(1, 33 * 32, 32), (1, 17, 33, *range(65, 32 * 32, 32))
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
        "qos1": b"\1" + _CONNACK + step(PUBLISH) + feed("40020001") + step(WAIT, 255),
        "qos2": b"\2" + _CONNACK + step(PUBLISH) + feed("50020001") + feed("70020001"),
        "resume": b"\2" + _CONNACK + step(PUBLISH) + step(CLOSE) + feed("20020100"),
        "subscribe": b"\3" + _CONNACK + _SUBACK + _QOS2_IN + step(FINISH),
        "echo": b"\4" + _CONNACK + _SUBACK + feed("320600017400ffff") + step(PUBLISH),
        "answer": b"\1" + _CONNACK + _SUBACK + step(PUBLISH) + 2 * feed(_ECHOED),
        "quirk": b"\5" + _CONNACK + _SUBACK + feed("300400017461" * 3),
        "many": b"\3" + _CONNACK + _SUBACK + each(_QOS2, _APART),
        "between": b"\3" + _CONNACK + _SUBACK + each(_QOS2, _SPLIT) + feed("62020011"),
    },
    "fuzz_mqtt5": {
        "alias": b"\0" + _ALIASES + step(PUBLISH) + step(PUBLISH),
        "reasons": b"\1" + _CONNACK5 + step(PUBLISH) + feed("40080001" + "87" + "041f000178"),
        "resume": b"\1" + _CONNACK5 + step(PUBLISH) + step(CLOSE) + feed("2003010000"),
        "assigned": b"\2"
        + (feed("20080000" + "05" + "12000261" + "62") + step(PUBLISH) + step(CLOSE))
        + (feed("2003010000") + feed("50020001") + feed("70020001")),
        "subscribe": b"\3"
        + (_CONNACK5 + _SUBACK5 + feed("340a00017400010323000178") + feed("62020001"))
        + (feed("30060000" + "03" + "230001") + step(FINISH)),
        "echo": b"\4"
        + (_CONNACK5 + _SUBACK5 + feed("300e000174" + "09" + "080001720900020005" + "61"))
        + (step(PUBLISH) + feed("40020002")),
        "answer": b"\6"
        + (_CONNACK5 + _SUBACK5 + step(PUBLISH))
        + feed("300c000165" + "07" + "09000400000001" + "61"),
        "large": b"\7" + _CONNACK5 + _SUBACK5 + feed("3005000174" + "00" + "61") + feed("3041"),
        "ended": b"\0" + _CONNACK5 + feed("e0018e"),
        "limits": b"\1" + feed("20100000" + "0d" + "210001" + "2700000040" + "1100000002"),
    },
    "fuzz_mqttsn": {
        "publish": b"\0" + _SN_READY + step(PUBLISH),
        "will": b"\1" + feed("0206") + feed("0208") + _SN_READY + step(PUBLISH),
        "qos2": b"\2" + feed("030500") + step(PUBLISH) + feed("040f0002") + feed("040e0002"),
        "search": b"\3" + _SN_SUBSCRIBED,
        "resume": b"\1"
        + (feed("0206") + feed("0208") + _SN_READY + step(PUBLISH) + step(CLOSE))
        + (feed("0206") + feed("0208") + feed("030500") + feed("070b0001000500")),
        "many": b"\3" + _SN_SUBSCRIBED + each(_SN_QOS2, _APART),
        "between": b"\3" + _SN_SUBSCRIBED + each(_SN_QOS2, _SPLIT) + feed("04100011"),
        "forgotten": b"\6"
        + (feed("030500") + feed("0813200007000200") + feed("070b0001000300") + step(PUBLISH))
        + feed("070d0001000402"),
        "sleep": b"\5" + feed("030500") + feed("0813000007000200") + step(WAIT, 40) + feed("0218"),
    },
    "fuzz_coap_client": {
        "post": b"\0" + step(PUBLISH) + answer("6444000000000000") + step(WAIT, 60),
        "separate": b"\0" + step(PUBLISH) + answer("60000000") + answer("4444123400000000"),
        "reset": b"\1" + step(PUBLISH) + answer("70000000"),
        "refused": b"\0" + step(PUBLISH) + answer("64a0000000000000ff6e6f"),
        "blocks": b"\2"
        + step(PUBLISH, 16)
        + answer(f"645f{0:012x}d10e09")  # blocks of 32 bytes; from the second on of 16
        + answer(f"645f{0:012x}d10e18")
        + answer(f"6444{0:012x}d10e28"),
        "smaller": b"\2" + step(PUBLISH, 16) + answer(f"645f{0:012x}d10e08"),
        "observe": b"\3"
        + answer("6445000000000000610560ff61")
        + answer("5445000100000000610660ff62")
        + answer("4445000200000000610760ff63")
        + answer(f"44450003000000006108d10408ff{_SIXTEEN}")
        + answer("5445000400000000610960ff65", ANSWER_OLDER)
        + answer(f"6445{0:012x}d10a10ff64")
        + step(WAIT, 90),
        "poll": b"\4"
        + step(PUBLISH)
        + answer(f"6445{0:012x}d10a08ff{_SIXTEEN}")
        + answer(f"6445{0:012x}d10a10ff64"),
    },
    # Behind the option (9) and the marker: code, options, and a tag of eight bytes.
    "fuzz_oscore": {
        "post": b"\0" + step(PUBLISH) + answer(f"6444{0:012x}90ff44{0:016x}") + step(WAIT, 60),
        "separate": b"\0"
        + step(PUBLISH)
        + answer("60000000")
        + answer(f"444412340000000090ff44{0:016x}"),
        "own-number": b"\1" + step(PUBLISH) + answer(f"5444{0:012x}920105ff44{0:016x}"),
        "echo": b"\0"
        + step(PUBLISH)
        + answer(f"6444{0:012x}90ff81d4ef6563686f{0:016x}")
        + answer(f"6444{0:012x}90ff44{0:016x}"),
        "refused": b"\0" + step(PUBLISH) + answer("6481000000000000ff6e6f"),
        "blocks": b"\2"
        + step(PUBLISH, 16)
        + answer(f"6444{0:012x}90ff5fd10e09{0:016x}")
        + answer(f"6444{0:012x}90ff44d10e29{0:016x}"),
        "kid": b"\3" + step(PUBLISH) + answer(f"6444{0:012x}96190502aabb73ff44{0:016x}"),
        "rederive": b"\4"
        + step(PUBLISH)
        + answer(f"6444{0:012x}9b1009480102030405060708ff81{0:016x}")
        + answer(f"6444{0:012x}90ff44{0:016x}")
        + step(PUBLISH)
        + answer(f"6481{0:012x}"),
    },
    "fuzz_coap_server": {
        "get": b"\0" + feed("41010001aab161") + feed("41010001aab161"),
        "observe": b"\0" + feed("41010001aa605161") + step(PUBLISH) + step(WAIT, 60),
        "forget": b"\0" + feed("41010001aa605161") + step(PUBLISH) + answer("70000000"),
        "separate": b"\1" + feed("41010001aab161") + step(WAIT, 20),
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
        "length": b"\0" + step(PUBLISH) + feed(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
        "chunked": b"\1" + step(PUBLISH) + feed(b"HTTP/1.1 200 OK\r\n" + _CHUNKED.encode()),
        "until_close": b"\2" + step(PUBLISH) + feed(b"HTTP/1.0 200 OK\r\n\r\nhi") + step(CLOSE),
    },
    "fuzz_websocket": {
        "publish": b"\0" + feed(websocket_answer()) + step(PUBLISH) + feed("8a0400000001"),
        "fragments": b"\1" + feed(websocket_answer()) + step(PUBLISH, 60),
        "receive": b"\2"
        + feed(websocket_answer())
        + feed("01026869")
        + feed("8900")
        + feed("8000"),
        "close": b"\3" + feed(websocket_answer()) + feed("880203e8"),
        "answer": b"\0" + feed(websocket_answer()) + step(PUBLISH) + feed("8103747730"),
        "extension": b"\0" + feed(websocket_answer()[:-2] + b"Sec-WebSocket-Extensions: x\r\n\r\n"),
    },
    "fuzz_amqp": {
        "publish": b"\0"
        + amqp_opening()
        + feed("010001000000040055000bce")
        + step(PUBLISH)
        + feed("0100010000000d003c0050000000000000000100ce"),
        "flow": b"\0"
        + amqp_opening()
        + feed("010001000000040055000bce")
        + feed("010001000000050014001400ce")
        + step(PUBLISH)
        + feed("010001000000050014001401ce"),
        "resend": b"\2"
        + 2 * (amqp_opening() + feed("010001000000040055000bce") + step(PUBLISH) + step(CLOSE)),
        "consume": b"\3"
        + amqp_opening()
        + feed("01000100000004003c000bce")
        + feed("01000100000007003c0015027477ce")
        + feed(_DELIVERY),
    },
    "fuzz_raw_tcp": {
        "publish": b"\0" + step(PUBLISH) + feed("0200000000000001"),
        "serve": b"\2" + feed("01010002000000016869"),
    },
    "fuzz_raw_udp": {
        "publish": b"\0" + step(PUBLISH) + feed("0200000000000001"),
        "serve": b"\2" + feed("01010002000000016869"),
    },
    "fuzz_config": {
        "all": " ".join(f"{name}={value}" for name, value in words.firmware_keys()).encode(),
        "payload": b"board1 17 20345678 ...........",
        "compact": b"board1:17..",
    },
}


CORPUS["fuzz_stack"] = stack_seeds.corpus(CORPUS)
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
