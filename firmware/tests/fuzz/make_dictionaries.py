"""Write the dictionaries of the configurations' fuzzers: make_dictionaries.py DIRECTORY"""

from __future__ import annotations

import sys
from pathlib import Path

import words

_PUNCTUATION = ["{", "}", "[", "]", ":", ",", '"', "true", "false", "null", "-1", "0.5", "1e308"]
_PUNCTUATION += ["9223372036854775807", "NaN", "\\u0000"]
DICTIONARIES = {
    "config.dict": ("the firmware's configuration", [*words.firmware_words(), " ", ","]),
    "json.dict": (
        "the JSON that configures the cell and the NB-IoT model",
        _PUNCTUATION + words.simulator_words(),
    ),
}


def entry(word: str) -> str:
    """A line of a dictionary."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"\n'


def main() -> int:
    """Write the files."""
    if len(sys.argv) != 2:
        print(
            "thinwire: error: make_dictionaries.py: DIRECTORY: missing; say where", file=sys.stderr
        )
        return 2
    for name, (what, of) in DICTIONARIES.items():
        text = f"# Words of {what}, for libFuzzer (make_dictionaries.py).\n"
        (Path(sys.argv[1]) / name).write_text(text + "".join(map(entry, of)), encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
