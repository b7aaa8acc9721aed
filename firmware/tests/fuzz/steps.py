"""Steps of drive.c's scripts: an operation, an argument and, for input, that many bytes."""

from __future__ import annotations

FEED, PUBLISH, WAIT, CLOSE, FINISH = 0x07, 0x00, 0x01, 0x02, 0x04
TAKE, ANSWER, ANSWER_OLDER = 0x05, FEED | 0x10, FEED | 0x30  # answer.h


def feed(text: str | bytes, operation: int = FEED) -> bytes:
    """Input for the engine: bytes, or hexadecimal digits."""
    data = bytes.fromhex(text) if isinstance(text, str) else text
    return b"".join(
        bytes([operation, len(data[at : at + 255])]) + data[at : at + 255]
        for at in range(0, len(data), 255)
    )


def step(operation: int, argument: int = 3) -> bytes:
    """Any other step."""
    return bytes([operation, argument])


def answer(text: str, operation: int = ANSWER) -> bytes:
    """A CoAP message that answers what the engine sent last, or last but one: its message ID, if it
    is an ACK or a RST, and its token, of four bytes, are put in."""
    return step(TAKE) + feed(text, operation)
