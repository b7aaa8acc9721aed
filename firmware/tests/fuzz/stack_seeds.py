"""The seeds of fuzz_stack (stack/fuzz_stack.c): the engines' lives, and frames of its own."""

from __future__ import annotations

from steps import CLOSE, FEED, FINISH, PUBLISH, TAKE, WAIT, feed, step

# The configurations that have the same lives, and the operations.
_LIVES = {
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
_OPERATIONS = {
    FEED: 8,
    PUBLISH: 0,
    TAKE: 0,
    WAIT: 1,
    CLOSE: 3,
    FINISH: 0,
}
_HANDSHAKE = step(4)


def on_stack(script: bytes, configuration: int) -> bytes:
    """The script for fuzz_stack: the same input, once a connection stands."""
    out = bytes([configuration]) + step(PUBLISH)
    at = 1
    while at + 1 < len(script):
        operation, argument = script[at], script[at + 1]
        size = 2 + (argument if operation & 15 == FEED else 0)
        if script[at + 2 : at + size].startswith(b"HTTP/1.1 101"):
            out += _HANDSHAKE
        else:
            marks, kind = operation & 0xF0, _OPERATIONS[operation & 15]
            out += step(marks | kind, argument) + script[at + 2 : at + size]
        out += step(PUBLISH)
        at += size
    return out


def crafted(flags: int, seq: int = 0, ack: int = 0, window: int = 128, data: bytes = b"") -> bytes:
    """A segment of the connection (stack/wire.h), and 50 ms."""
    content = bytes([flags, seq & 255, ack & 255, window, 0]) + data
    return bytes([0x16, len(content)]) + content + step(0)


def peer(mood: int) -> bytes:
    """How the peer takes new connections from now on (wire_mood in stack/wire.h)."""
    return step(0x12, mood)


# An ICMP echo request, and a TCP segment to a closed port.
_ETHERNET = "025457000001" + "020000000002" + "0800"
_ECHO = _ETHERNET + "4500001c00010000400100000a4d00010a4d0002" + "0800000000010001"
_SYN = (
    _ETHERNET
    + "4500002800010000400600000a4d00010a4d0002"
    + "9c40005000000001000000005002200000000000"
)
_FIN, _SYN_FLAG, _RST, _ACK = 1, 2, 4, 16
_ANSWERS, _REFUSES, _DEAF = 0, 1, 2
_OWN = {
    "frames": b"\0"
    + b"".join(bytes([6, len(frame) // 2]) + bytes.fromhex(frame) for frame in (_ECHO, _SYN)),
    # Ends before the length in its IPv4 header, which lwIP 2.1.3 reads (lx106/lwip/lwip_hooks.h).
    "short": bytes([0, 6, 16]) + bytes.fromhex(_ETHERNET + "4500"),
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
    # A connection is spent after two messages, and the next one opened.
    "spent": bytes([25])
    + (step(0) + feed("20020000", 8) + step(1, 10) + feed("40020001", 8))
    + (step(1, 10) + feed("40020002", 8) + step(1, 20) + feed("20020000", 8) + step(0)),
    # The last answer never comes.
    "unfinished": bytes([29]) + (step(0) + _HANDSHAKE + step(0) + step(1, 40) * 2),
    # The broker is gone: its port is closed, then its host is off, and it comes back.
    "outage": bytes([1])
    + (step(0) + feed("20020000", 8) + step(0))
    + (peer(_REFUSES) + step(3, 1) + step(1, 40))
    + (peer(_DEAF) + step(1, 90))
    + (peer(_ANSWERS) + step(1, 90) + feed("20020100", 8) + step(0)),
}


def corpus(engines: dict[str, dict[str, bytes]]) -> dict[str, bytes]:
    """The seeds, by name; `engines`: the scripts of the engines' fuzzers."""
    lives = {
        f"{fuzzer[5:]}-{name}": on_stack(engines[fuzzer][name], number)
        for (fuzzer, name), number in _LIVES.items()
    }
    return lives | _OWN
