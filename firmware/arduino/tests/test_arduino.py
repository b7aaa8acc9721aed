"""Does the Arduino API do what the core's release does?

THINWIRE_ELF names the image of probe.ino, THINWIRE_CORE the release that it was built for.
"""

from __future__ import annotations

import os
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "boards" / "lx106" / "tests"))

from board import PATIENCE_S, Board, configuration
from far_end import Datagrams, Stream

RELEASE_3 = os.environ["THINWIRE_CORE"].startswith("3")

STRINGS = """\
Counter::made = 1
text.length() = 34
text.indexOf("text") = 2
text.lastIndexOf('e') = 31
text.lastIndexOf("te", 5) = 2
text.substring(2, 6) = text
text.startsWith("text", 2) = 1
text.endsWith("characters") = 1
text = a text of more than ten X
text = text of more than ten X
text = TEXT OF MORE THAN TEN X
text = both ends
text = both endsboth ends
String(255, HEX) = ff
String(-12) + 'c' + 3 + "s" + 2.5 = -12c3s2.50
String(0.125) = 0.13
String(-1.005f, 3) = -1.005
String("12ab").toInt() = 12
String("2.5e1").toFloat() = 25.00
String("aBc").equalsIgnoreCase("AbC") = 1
String(F("flash")) == FPSTR(kFlash) = 1
strlen_P(kFlash) = 5
strcmp_P("flash", kFlash) = 0
text[100] == 0 = 1
00042 word ff
1234567890123
11111111111111111111111111111001
3.1416
IPAddress(10, 77, 0, 1) = 10.77.0.1
address.fromString("192.168.300.1") = 0
address.fromString("192.168.3.1") = 1
address[3] = 1
address == IPAddress(192, 168, 3, 1) = 1
INADDR_NONE = {none}
sha1("abc") = a9993e364706816aba3e25717850c26c9cd0d89d
encoded = bHgxMDY=
map(5, 0, 10, 0, 100) = 50
drawn >= 10 && drawn < 20 = 1
constrain(12, 0, 10) = 10
add(4) = 20
*std::make_unique<String>("owned") = owned
WiFi.localIP() = 10.77.0.2
WiFi.macAddress() = 5C:CF:7F:00:00:01
"""


def printed(board: Board, peer: Stream | Datagrams | None = None) -> list[str]:
    """What the sketch printed until its end, without events."""
    limit = time.monotonic() + PATIENCE_S
    while time.monotonic() < limit:
        if peer:
            peer.listen()
        if '"ev":"end"' in board.text():
            return [line for line in board.text().splitlines() if not line.startswith('{"t":')]
        time.sleep(0.005)
    raise AssertionError(f"no end; the log is {board.text()}")


def values(lines: list[str]) -> list[str]:
    """What stands behind the last " = " of each line."""
    return [line.rpartition(" = ")[2] for line in lines]


class Arduino(unittest.TestCase):
    def test_text_numbers_addresses_and_the_headers_of_the_cxx_library(self) -> None:
        with Board(configuration(topic="strings"), paced=False) as board:
            lines = printed(board)
        none = "255.255.255.255" if RELEASE_3 else "0.0.0.0"
        self.assertEqual(lines, STRINGS.format(none=none).splitlines())

    def test_time_passes_and_a_connection_to_nobody_times_out(self) -> None:
        with Board(configuration(topic="times"), paced=False) as board:
            lines = printed(board)
        self.assertEqual(values(lines), ["1", "1", "1", "0", "1", "0", "0", "-1", "0", "1", "1"])

    def test_a_stream_in_both_directions(self) -> None:
        pieces: list[bytes] = []

        def answer(data: bytes) -> bytes:
            pieces.append(data)
            return b"welcome\n-42 key=abc\n" if data == b"hello\n" else b""

        with Board(configuration(topic="stream")) as board:
            lines = printed(board, Stream(board, 0, answer))
        self.assertEqual(
            values(lines),
            ["1", "1", "10.77.0.1", "1883", "welcome", "-42", "1", "abc", "1", "", "", "1", "0"],
        )
        # Release 3 writes a text in flash at once, the core before byte by byte.
        self.assertEqual(b"".join(pieces), b"hello\nfrom flash\r\n")
        self.assertEqual(b"from flash" in pieces, RELEASE_3)
        self.assertEqual(b"f" in pieces, not RELEASE_3)

    def test_datagrams(self) -> None:
        with Board(configuration(topic="datagrams")) as board:
            peer = Datagrams(board, 0, lambda data: b"answer" if data == b"ask?" else b"")
            lines = printed(board, peer)
        self.assertEqual(values(lines), ["1", "1", "1", "6", "1", "a", "6", "answer", "-1", "0"])

    def test_a_sketch_that_never_yields_is_reset(self) -> None:
        with Board(configuration(topic="spin"), paced=False) as board:
            crash = board.wait_for_event("crash")
            self.assertEqual(board.lines()[crash]["reason"], "watchdog")


if __name__ == "__main__":
    unittest.main()
