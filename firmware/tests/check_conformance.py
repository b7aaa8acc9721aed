"""Check docs/conformance.md against the unit tests: check_conformance.py

Each test named in a section must be in that section's test file, and run there. Exit status 1 with
one line for each that is not.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs/conformance.md"
UNIT = ROOT / "firmware/tests/unit"


def registered(name: str) -> set[str]:
    """Return the tests that a test file runs."""
    source = (UNIT / f"{name}.c").read_text(encoding="utf-8")
    return set(re.findall(r"cmocka_unit_test\((test_\w+)\)", source))


def missing() -> list[str]:
    """Return a complaint for each test that is named and does not exist."""
    complaints = []
    known: set[str] = set()
    section = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        names = re.findall(r"`(test_\w+)`", line)
        if line.startswith("## "):
            section = line[3:]
            known = set().union(*map(registered, names))
        else:
            complaints += [f"{section}: no test {name}" for name in names if name not in known]
    return complaints


def main() -> int:
    """Print what is missing."""
    complaints = missing()
    for complaint in complaints:
        print(f"thinwire: error: docs/conformance.md: {complaint}; name one that runs")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
