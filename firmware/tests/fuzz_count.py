"""Add runs of the fuzzers to fuzz/counted.csv, print its table: fuzz_count.py [BUILD_DIRECTORY...]

Each log that fuzz.sh has left in a directory becomes a row with the commit that was fuzzed. The log
is renamed to NAME.log.counted, so that no run counts twice. The table has the executions of all
runs, the longest run with its processor time (which the first runs did not record), and the inputs
and coverage of the last run that recorded them. docs/measured/fuzzing.md holds it. Exit status 2: a
program or tool is missing.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import fuzz_report

ROOT = Path(__file__).resolve().parents[2]
COUNTED = ROOT / "firmware/tests/fuzz/counted.csv"
Row = dict[str, str]


def counted() -> list[Row]:
    """All runs so far, in their order."""
    with COUNTED.open(newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def add(log: Path, commit: str) -> None:
    """Append a run, and set its log aside."""
    cells = [cell.replace(",", "").replace(" %", "") for cell in fuzz_report.row(log)]
    with COUNTED.open("a", newline="", encoding="ascii") as file:
        csv.writer(file, lineterminator="\n").writerow([*cells, commit])
    log.rename(f"{log}.counted")


def table(rows: list[Row]) -> str:
    """A line a parser, sorted by name, and one for all."""
    lines = [
        "| parser | executions | longest run | of a processor | inputs kept | lines | branches |",
        "|---|---|---|---|---|---|---|",
    ]
    for parser in sorted({row["parser"] for row in rows}):
        own = [row for row in rows if row["parser"] == parser]
        recorded = ("inputs", "lines_pct", "branches_pct")
        last = {key: next((r[key] for r in reversed(own) if r[key]), "") for key in recorded}
        shares = [f"{last[key]} %" if last[key] else "" for key in ("lines_pct", "branches_pct")]
        longest = max(reversed(own), key=lambda row: int(row["seconds"] or 0))
        spans = [longest[key] for key in ("seconds", "processor_s")]
        cells = [parser, f"{sum(int(row['executions']) for row in own):,}"]
        cells += [*(f"{int(span) / 60:.0f} min" if span else "" for span in spans), last["inputs"]]
        lines.append("| " + " | ".join([*cells, *shares]) + " |")
    lines.append(f"| all | {sum(int(row['executions']) for row in rows):,} | | | | | |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Count, and print the table."""
    command = ["git", "-C", str(ROOT), "rev-parse", "--short=7", "HEAD"]
    try:
        commit = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        for build in sys.argv[1:]:
            for log in sorted(Path(build).glob("*fuzz_*.log")):
                add(log, commit)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"thinwire: error: fuzz_count.py: {error}; run `make fuzz`", file=sys.stderr)
        return 2
    print(table(counted()), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
