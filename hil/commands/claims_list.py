"""Lists of claims for `thinwire claims`: chosen, folded to the terminal, counted, as numbers."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from hil.base.paths import ROOT
from hil.system import colours

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]*\d)")
_VERDICT, _NAME = 32, 40  # columns


class Claim(NamedTuple):
    """One row of the claims table, all as text (workflow/R/study/R/claims.R)."""

    claim: str
    source: str
    section: str
    kind: str
    statement: str
    published: str
    ours: str
    unit: str
    n: str
    low: str
    high: str
    rule: str
    verdict: str
    reason: str
    study: str
    trials: str
    needs: str
    counted: str
    full: str
    full_ours: str
    full_commit: str
    counts_as: str


def words(option: str) -> str:
    """Return a verdict or kind in its own words; on the command line hyphens may join them."""
    return option.replace("-", " ")


def hyphened(names: Iterable[str]) -> list[str]:
    """Return verdicts or kinds as the command line takes them, each one word."""
    return [name.replace(" ", "-") for name in names]


def is_pattern(word: str) -> bool:
    """Return whether a word names several claims, as kuleuven-* does."""
    return any(letter in word for letter in "*?[")


def chosen(claims: Iterable[Claim], pattern: str | None, text: str | None) -> list[Claim]:
    """Return the claims whose name matches the pattern and whose statement or reason contains the
    text, in any case."""
    wanted = (text or "").lower()
    return [
        claim
        for claim in claims
        if (pattern is None or fnmatchcase(claim.claim, pattern))
        and wanted in f"{claim.statement} {claim.reason}".lower()
    ]


def differs(claim: Claim) -> bool:
    """Return whether a full run is recorded, and gave another verdict than this build."""
    return claim.full not in ("", claim.verdict)


def _statement(claim: Claim) -> str:
    """Return the statement, with the full run's verdict where it differs from this build's."""
    return claim.statement + (f" [full run: {claim.full}]" if differs(claim) else "")


def lines(claims: Sequence[Claim]) -> list[str]:
    """Return a line for each claim; on a terminal, statements are folded to its width."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    found = []
    for claim in claims:
        statement = _statement(claim)
        head = f"{colours.word(claim.verdict, _VERDICT)} {claim.claim:{_NAME}} "
        room = width - 1 - _VERDICT - 2 - max(_NAME, len(claim.claim))
        if width == 0:
            found.append(head + statement)
        elif room < _NAME // 2:  # a narrow terminal: the statement below
            found += [head.rstrip(), textwrap.fill(statement, width - 1, **_INDENT)]
        else:
            first, *rest = textwrap.wrap(statement, room) or [""]
            found += [head + first, *(" " * (_VERDICT + _NAME + 2) + part for part in rest)]
    return found


_INDENT: dict[str, Any] = {"initial_indent": "    ", "subsequent_indent": "    "}


def total(claims: Sequence[Claim], verdicts: Sequence[str], of: int) -> str:
    """Return how many claims are listed, of how many, and how many have each verdict."""
    found = Counter(claim.verdict for claim in claims)
    words = ", ".join(f"{found[verdict]} {verdict}" for verdict in verdicts if found[verdict])
    return f"{len(claims)} of {of} claims: {words or 'none'}"


def _numbers(text: str) -> list[float]:
    return [float(word) for word in _NUMBER.findall(text)]


def numbers(claim: Claim) -> dict[str, Any]:
    """Return the numbers in a claim's texts: published and ours (several where a statement compares
    several), runs `n`, the limits of the interval (None where there is none), and the unit."""
    low, high = _numbers(claim.low), _numbers(claim.high)
    return {
        "published": _numbers(claim.published),
        "ours": _numbers(claim.ours),
        "n": _numbers(claim.n),
        "low": low[0] if low else None,
        "high": high[0] if high else None,
        "unit": claim.unit,
    }


def entry_file(claim: Claim) -> str:
    """Return the file with the claim's entry: SOURCE.yaml, or SOURCE-TABLE.yaml for a table."""
    folder = Path("data/published/claims")
    for path in sorted((ROOT / folder).glob(f"{claim.source}-*.yaml")):
        if f"  - id: {claim.claim}\n" in path.read_text(encoding="utf-8"):
            return str(folder / path.name)
    return str(folder / f"{claim.source}.yaml")
