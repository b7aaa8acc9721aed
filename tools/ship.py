#!/usr/bin/env python3
"""Ship the answers of a build: copy its models to data/shipped/decide.json, with commit and date.

  python tools/ship.py                                  ship results/decide.json of this clone
  python tools/ship.py --decide FILE --commit COMMIT    that of another build of this project

`thinwire ask` answers from the shipped models where there is no build. The date is that of the
commit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path

from hil.base.paths import ROOT
from hil.commands import recommend
from hil.commands.ask import SHIPPED


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def ship(decide: Path, commit: str, note: str = "") -> None:
    """Write the models of a build, with the commit of its trials and what else to say."""
    document = recommend.read(decide)
    full = _git("rev-parse", "--verify", f"{commit}^{{commit}}")
    document["build"] = {"commit": full, "date": _git("show", "-s", "--format=%cs", full)}
    if note:
        document["build"]["note"] = note
    SHIPPED.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    SHIPPED.write_text(text.replace('{"name":', '\n{"name":') + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--decide", type=Path, default=ROOT / "results" / "decide.json", help="the build's models"
    )
    parser.add_argument("--commit", default="HEAD", help="the commit that the build ran")
    parser.add_argument("--note", default="", help="what the answer adds to the commit")
    arguments = parser.parse_args()
    ship(arguments.decide, arguments.commit, arguments.note)
    print(SHIPPED.relative_to(ROOT))


if __name__ == "__main__":
    main()
