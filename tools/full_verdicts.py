#!/usr/bin/env python3
"""full_verdicts.py CLAIMS.csv [FULL]: count the verdicts of a build beside those of the full run.

CLAIMS.csv is a build's results/claims.csv, FULL the folder of the recorded run (data/full). Prints
CSV: two rows for each recorded study, of the same claims in the shortened and the full designs.
Exit status: 0; 2 where a table cannot be read.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hil.base.errors import InputError, print_error
from hil.commands import claims_table
from hil.commands.claims import VERDICTS


def main(words: list[str]) -> int:
    if len(words) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        build = {claim.claim: claim for claim in claims_table.read(Path(words[0]))}
        full = claims_table.recorded(Path(words[1]) if words[1:] else claims_table.FULL)
    except InputError as error:
        return print_error(error)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["study", "designs", "claims", *VERDICTS])
    for study in sorted({claim.study for claim in full}):
        ran = [claim for claim in full if claim.study == study and claim.claim in build]
        for designs, verdicts in (
            ("shortened", Counter(build[claim.claim].verdict for claim in ran)),
            ("full", Counter(claim.verdict for claim in ran)),
        ):
            table.writerow([study, designs, len(ran), *(verdicts[name] for name in VERDICTS)])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
