"""count_claims.py CLAIMS.csv: one line that says how many claims got which verdict."""

import argparse
import csv
import sys
from collections import Counter
from pathlib import Path

VERDICTS = ("reproduced", "not reproduced", "contradicted", "not testable")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("claims", type=Path)
    options = parser.parse_args()
    try:
        with options.claims.open(encoding="utf-8", newline="") as file:
            counts = Counter(row["verdict"] for row in csv.DictReader(file))
    except (OSError, KeyError) as error:
        print(
            f"thinwire: error: {options.claims}: cannot be read ({error}); make it first",
            file=sys.stderr,
        )
        return 2
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    print(f"thinwire: {counts.total()} claims: {verdicts} ({options.claims})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
