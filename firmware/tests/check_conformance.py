"""Check docs/conformance.md against the unit tests and the mutants: check_conformance.py

Each test that a section names must be in its programs, and run there. Each row must have a
requirement of its own in its section and a mutant that breaks it; what a mutant changes must stand
once in its file. `make mutants` shows that the tests notice. Exit status 1 with one line for each
that is not so.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import conformance


def registered(program: str) -> set[str]:
    """Return the tests that a test program runs."""
    source = (conformance.UNIT / f"{program}.c").read_text(encoding="utf-8")
    return set(re.findall(r"cmocka_unit_test\((test_\w+)\)", source))


def complaints() -> Iterator[str]:
    """Say what is wrong."""
    table = conformance.rows()
    mutants = conformance.mutants()
    broken = {(mutant.section, mutant.requirement) for mutant in mutants}
    seen = set()
    for row in table:
        where = f"docs/conformance.md: {row.section}: {row.requirement}"
        known = set().union(*map(registered, row.programs))
        yield from (
            f"{where}: no test {name}; name one that runs"
            for name in row.tests
            if name not in known
        )
        if not row.requirement or (row.section, row.requirement) in seen:
            yield f"{where}: stands twice, or nowhere; quote the requirement's own number"
        seen.add((row.section, row.requirement))
        if (row.section, row.requirement) not in broken:
            yield f"{where}: no mutant; add one to firmware/tests/mutants"
    for mutant in mutants:
        where = f"firmware/tests/mutants: {mutant.section}: {mutant.requirement}"
        if (mutant.section, mutant.requirement) not in seen:
            yield f"{where}: no such row; add it to docs/conformance.md"
        if conformance.source(mutant.file).read_text(encoding="utf-8").count(mutant.was) != 1:
            yield f"{where}: its text does not stand once in {mutant.file}; write it anew"


def main() -> int:
    """Print what is wrong."""
    found = list(complaints())
    for complaint in found:
        print(f"thinwire: error: {complaint}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
