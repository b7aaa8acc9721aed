"""Make one Markdown table, and one CSV file, of tables of interop.py: table.py OUT.csv IN.csv...

A row that a later file has again replaces the earlier one. A line of the table is a case, a column
a link; a cell says how many messages were lost and how many came again. Exit status 1 if a promise
is broken.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from cases import CASES
from trial import FIELDS, KEY

_WORDS = {"once": "exactly once", "least": "at least once", "none": "none"}
Row = dict[str, str]


def read(files: list[Path]) -> dict[tuple[str, ...], Row]:
    """Return case and link -> row, of the run with the most messages, the latest of these."""
    found: dict[tuple[str, ...], Row] = {}
    for file in files:
        with file.open(newline="") as lines:
            for row in csv.DictReader(lines):
                key = (row["case"], *(row[name] for name in KEY[2:]))
                if key not in found or int(row["messages"]) >= int(found[key]["messages"]):
                    found[key] = row
    return found


def link_name(loss: str, duplication: str, reordering: str) -> str:
    """Return the heading of a column."""
    more = {"doubled": duplication, "late": reordering}
    return ", ".join([f"{loss} %", *(f"{v} % {k}" for k, v in more.items() if v != "0")])


def main() -> int:
    """Write both tables."""
    if len(sys.argv) < 3:
        print("thinwire: error: table.py: give OUT.csv and IN.csv...", file=sys.stderr)
        return 2
    rows = read([Path(name) for name in sys.argv[2:]])
    links = sorted({key[1:] for key in rows}, key=lambda link: (link[1:], float(link[0])))
    print("| case | promise | messages |", " | ".join(link_name(*link) for link in links), "|")
    print("|---" * (3 + len(links)) + "|")
    kept: list[Row] = []
    broken = False
    for case in CASES:
        mine = {link: rows[case.name, *link] for link in links if (case.name, *link) in rows}
        if not mine:
            continue
        most = max(int(row["messages"]) for row in mine.values())
        cells = []
        for link in links:
            row = mine.get(link)
            if row is None:
                cells.append("")
                continue
            counts = {name: int(row[name]) for name in ("delivered", "duplicated", "lost")}
            row["verdict"] = case.verdict(link[2] == "0", counts)
            text = f"{counts['lost']} / {counts['duplicated']}"
            if int(row["messages"]) < most:
                text += f" of {row['messages']}"
            cells.append(f"**{text}**" if row["verdict"] == "broken" else text)
            broken |= row["verdict"] == "broken"
            kept.append(row)
        print(f"| {case.name} | {_WORDS[case.guarantee]} | {most} |", " | ".join(cells), "|")
    with Path(sys.argv[1]).open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
