r"""check_log.py LOG: what LaTeX only warns of and a reader would see, as errors that name the
place.

Undefined references and citations, labels given twice, boxes that stick out by more than 5 pt, and
characters that a font does not have, and what the documents find themselves (\fault), such as too
many pages. The log must have been written with unbroken lines
(max_print_line) and with preamble.tex's marks of the files that begin and end. Status 1 if there is
anything.
"""

import argparse
import re
import sys
from pathlib import Path

LARGEST_OVERFULL_PT = 5.0

FAULT = re.compile(r"^thinwire-fault (.*)$")
FILE = re.compile(r"^thinwire-file (begin|end) (.*)$")
WARNINGS = [
    (re.compile(r"Warning: Reference `(.+?)' on page \S+ undefined"), "undefined reference '{}'"),
    (re.compile(r"Warning: Citation `(.+?)' on page \S+ undefined"), "undefined citation '{}'"),
    (re.compile(r"Warning: Label `(.+?)' multiply defined"), "label '{}' is given twice"),
    (re.compile(r"^Missing character: There is no (.+) in font"), "no glyph for {}"),
]
OVERFULL = re.compile(r"^Overfull \\([hv])box \((\d+\.?\d*)pt too (?:wide|high)\)(.*)$")
LINE = re.compile(r"\bat lines? (\d+)|\binput line (\d+)")


def faults(log: str, document: str) -> list[str]:
    """Each fault as `FILE:LINE: what is wrong`, in the order of the log, once."""
    open_files = [document]
    found = []
    for text in log.splitlines():
        if mark := FILE.match(text):
            if mark[1] == "begin":
                open_files.append(mark[2])
            elif len(open_files) > 1:
                open_files.pop()
            continue
        words = [
            message.format(match[1])
            for pattern, message in WARNINGS
            if (match := pattern.search(text))
        ]
        if fault := FAULT.match(text):
            words.append(fault[1])
        overfull = OVERFULL.match(text)
        if overfull and float(overfull[2]) > LARGEST_OVERFULL_PT:
            side = "wide" if overfull[1] == "h" else "high"
            words.append(f"a box is {overfull[2]} pt too {side}{overfull[3]}")
        line = LINE.search(text)
        place = open_files[-1] + (f":{line[1] or line[2]}" if line else "")
        found += [f"{place}: {word}" for word in words]
    return list(dict.fromkeys(found))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path)
    options = parser.parse_args()
    log = options.log.read_text(encoding="utf-8", errors="backslashreplace")
    found = faults(log, f"{options.log.stem}.tex")
    for fault in found:
        place = fault if fault.startswith("results/") else f"paper/{fault}"
        print(f"thinwire: error: {place}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
