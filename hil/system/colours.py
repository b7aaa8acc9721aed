"""Coloured words on a terminal (ECMA-48); plain elsewhere and with NO_COLOR (no-color.org)."""

from __future__ import annotations

import os
import sys
from typing import TextIO

_CODES = {"good": 32, "bad": 31, "doubtful": 33}
_MEANING = {
    "ok": "good",
    "pass": "good",
    "FAIL": "bad",
    "reproduced": "good",
    "reproduced in direction": "good",
    "failed": "bad",
    "invalid": "bad",
    "MISSING": "bad",
    "contradicted": "bad",
    "not reproduced": "bad",
    "without": "doubtful",
    "decided by an assumption": "doubtful",
    "another condition": "doubtful",
    "outside what the lab can decide": "doubtful",
    "too few runs": "doubtful",
}


def wanted(stream: TextIO) -> bool:
    """Return whether to use colours on this stream."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


def word(text: str, width: int = 0, stream: TextIO | None = None) -> str:
    """Return an outcome, a state or a verdict in its colour, padded to a width."""
    padded = text.ljust(width)
    meaning = _MEANING.get(text)
    if meaning is None or not wanted(stream or sys.stdout):
        return padded
    return f"\x1b[{_CODES[meaning]}m{text}\x1b[0m{padded[len(text) :]}"
