"""`thinwire summary`: summarize in five lines what `make paper` built."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter

from hil.commands import claims, claims_table, project
from hil.system.progress import in_words

PAPER, PAGE = "results/paper.pdf", project.PAGE


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Example:\n  thinwire summary"
    parser.add_argument(
        "--since",
        type=float,
        metavar="S",
        help="start of the build in seconds since 1970, to print its duration",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    paper, page, table, raw = map(project.path, (PAPER, PAGE, project.CLAIMS, project.BUNDLES))
    known = claims_table.read(table)
    bundles = sum(1 for _ in raw.glob("*/*/lab.json"))
    found = Counter(claim.counts_as for claim in known if claim.counted not in claims.APART)
    verdicts = ", ".join(f"{found[word]} {word}" for word in claims.VERDICTS if found[word])
    there = [path for path in (paper, page, table) if path.is_file()]
    names = ", ".join(path.name for path in there if path != table)
    if arguments.json:
        verdicts_of = {word: found[word] for word in claims.VERDICTS if found[word]}
        files = [str(path) for path in there]
        print(json.dumps({"files": files, "bundles": bundles, "verdicts": verdicts_of}, indent=1))
        return 0
    print(f"made      {names}, {len(known)} verdicts, from {bundles} bundles")
    print(f"where     {', '.join(map(str, there))}, {raw}")
    if arguments.since is not None:
        print(f"took      {in_words(time.time() - arguments.since)}")
    print(f"verdicts  {verdicts or 'none'}")
    print(f"open      {page if page.is_file() else paper}; thinwire claims; thinwire ask --help")
    return 0
