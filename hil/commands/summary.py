"""`thinwire summary`: summarize in five lines what `make paper` built."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from hil.commands import claims
from hil.system.progress import in_words

PAPER = Path("results/paper.pdf")
PAGE = Path("results/report/index.html")
CLAIMS = Path("results/claims.csv")
BUNDLES = Path("data/raw")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--since",
        type=float,
        metavar="S",
        help="start of the build in seconds since 1970, to print its duration",
    )


def run(arguments: argparse.Namespace) -> int:
    known = claims.read(CLAIMS)
    bundles = sum(1 for _ in BUNDLES.glob("*/*/lab.json"))
    found = Counter(claim.verdict for claim in known if claim.counted not in claims.APART)
    verdicts = ", ".join(f"{found[word]} {word}" for word in claims.VERDICTS if found[word])
    there = [path for path in (PAPER, PAGE, CLAIMS) if path.is_file()]
    names = ", ".join(path.name for path in there if path != CLAIMS)
    print(f"made      {names}, {len(known)} verdicts, from {bundles} bundles")
    print(f"where     {', '.join(map(str, there))}, {BUNDLES}")
    if arguments.since is not None:
        print(f"took      {in_words(time.time() - arguments.since)}")
    print(f"verdicts  {verdicts or 'none'}")
    print(f"open      {PAGE if PAGE.is_file() else PAPER}; thinwire claims; thinwire ask --help")
    return 0
