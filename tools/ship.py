#!/usr/bin/env python3
"""Ship the answers of a build: copy its models and claims to data/shipped, with commit and date.

  python tools/ship.py                                   ship the results of this clone
  python tools/ship.py --results FOLDER --commit COMMIT  those of another build of this project
  python tools/ship.py --wakes FILE --commit COMMIT      the wake-ups of `tools/wakes.R` alone

`thinwire ask` and `thinwire claims` answer from them where there is no build. The date is that of
the commit.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from hil.base.documents import read_json
from hil.base.errors import ThinwireError, print_error
from hil.base.paths import ROOT
from hil.commands import ask, ask_deep, claims_table, project, recommend


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _build(commit: str, note: str) -> dict[str, str]:
    """Return the commit of a build, its date and, if there is one, what an answer adds."""
    full = _git("rev-parse", "--verify", f"{commit}^{{commit}}")
    build = {"commit": full, "date": _git("show", "-s", "--format=%cs", full)}
    return build | ({"note": note} if note else {})


def ship(results: Path, commit: str, note: str = "", top: Path = ROOT) -> list[Path]:
    """Copy the models and claims of the build in the folder `results`; return the new files.

    Raises:
        InputError: the build has no models or no claims.
    """
    document = recommend.read(results / Path(project.MODEL).name)
    table = results / claims_table.CLAIMS
    claims_table.read(table)
    build = _build(commit, note)
    folder = top / "data" / "shipped"
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(
        document | {"build": build}, ensure_ascii=False, separators=(",", ":")
    ).replace('{"name":', '\n{"name":')
    made = [folder / name for name in (ask.SHIPPED.name, claims_table.CLAIMS, claims_table.BUILD)]
    made[0].write_text(text + "\n", encoding="utf-8")
    shutil.copyfile(table, made[1])
    made[2].write_text(json.dumps(build, ensure_ascii=False) + "\n", encoding="utf-8")
    return made


def ship_wakes(wakes: Path, commit: str, top: Path = ROOT) -> Path:
    """Ship what wake-ups from deep sleep cost, apart from the models: no default build runs them.

    Raises:
        InputError: the file cannot be read.
    """
    found = read_json(wakes, "make it: Rscript tools/wakes.R --tables TABLE.csv...")
    made = top / "data" / "shipped" / ask_deep.SHIPPED.name
    text = json.dumps(found | {"build": _build(commit, "")}, separators=(",", ":"))
    made.write_text(text.replace('{"', '\n{"').lstrip() + "\n", encoding="utf-8")
    return made


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--results", type=Path, default=ROOT / "results", help="the build's results"
    )
    parser.add_argument("--commit", default="HEAD", help="the commit that the build ran")
    parser.add_argument("--note", default="", help="what an answer adds to the commit")
    parser.add_argument("--wakes", type=Path, help="wake-ups, to ship them alone")
    arguments = parser.parse_args()
    try:
        if arguments.wakes:
            print(ship_wakes(arguments.wakes, arguments.commit).relative_to(ROOT))
            return 0
        for path in ship(arguments.results, arguments.commit, arguments.note):
            print(path.relative_to(ROOT))
    except ThinwireError as error:
        return print_error(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
