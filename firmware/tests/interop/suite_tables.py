"""The tables of `make test-peers`, from the files that suite.py leaves in a folder."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import groupby
from pathlib import Path

from foreign_cases import FOREIGN_CASES

_BOARDS = {"host": "host", "lx106": "LX106"}
_WORDS = {"once": "exactly once", "least": "at least once", "none": "none"}
_GROUPS = {
    "1": "Framing",
    "2": "Pings and Pongs",
    "3": "Reserved bits",
    "4": "Opcodes",
    "5": "Fragmentation",
    "6": "UTF-8",
    "7": "Closing",
    "9": "Limits: messages up to 16 MiB",
    "10": "Fragments as the suite sends them",
    "12": "Compression",
    "13": "Compression with parameters",
}
_RESULTS = ("OK", "NON-STRICT", "INFORMATIONAL", "UNIMPLEMENTED", "FAILED")
Row = dict[str, str]


def _read(file: Path) -> list[Row]:
    if not file.exists():
        return []
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    text = f"{row['lost']} / {row['duplicated']}"
    return f"**{text}**" if row["verdict"] == "broken" else text


def cases(folder: Path) -> str:
    """A line a case, a column a board and link: lost / came again."""
    found = {
        (board, row["loss_pct"], row["case"]): row
        for board in _BOARDS
        for row in _read(folder / f"{board}.csv")
    }
    links = sorted({key[:2] for key in found}, key=lambda link: (link[0], float(link[1])))
    head = ["case", "promise", *(f"{_BOARDS[board]}, {loss} %" for board, loss in links)]
    return _table(
        head,
        [
            [
                case.name,
                _WORDS[case.guarantee],
                *(_cell(found.get((*link, case.name))) for link in links),
            ]
            for case in FOREIGN_CASES
        ],
    )


def tshark(folder: Path) -> str:
    """A line a board and protocol: what tshark says of the captures."""
    rows = []
    columns = ("packets", "messages", "malformed", "errors", "warnings")
    for board, label in _BOARDS.items():
        judged = _read(folder / f"{board}-tshark.csv")
        judged.sort(key=lambda row: row["file"].split("-")[0])
        for protocol, group in groupby(judged, key=lambda row: row["file"].split("-")[0]):
            files = list(group)
            sums = [str(sum(int(row[column]) for row in files)) for column in columns]
            rows.append([label, protocol, str(len(files)), *sums])
    return _table(["board", "protocol", "captures", *columns], rows)


def autobahn(folder: Path) -> str:
    """A line an agent and group of cases: how many came to which result."""
    lines = []
    for agent, own in groupby(_read(folder / "autobahn.csv"), key=lambda row: row["agent"]):
        for group, members in groupby(own, key=lambda row: row["case"].split(".")[0]):
            results = [row["behavior"] for row in members]
            count = Counter(result if result in _RESULTS else "FAILED" for result in results)
            numbers = [str(count[result] or "") for result in _RESULTS]
            lines.append([agent, f"{group} {_GROUPS[group]}", str(len(results)), *numbers])
    return _table(["agent", "cases", "all", *(result.lower() for result in _RESULTS)], lines)


def _put(file: Path, name: str, text: str) -> None:
    """Replace the text between the marks of this name."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, rest = file.read_text().split(begin)
    _, after = rest.split(end)
    file.write_text(f"{before}{begin}{text}\n{end}{after}")


def into_docs(docs: Path, folder: Path, origin: str) -> None:
    """Write the tables, and the commit and machine they come from, into the page of `docs`."""
    page = docs / "measured" / "peers.md"
    _put(page, "origin", f"Measured: {origin}")
    _put(page, "peers", cases(folder))
    _put(page, "peers-tshark", tshark(folder))
    _put(page, "autobahn", autobahn(folder))


def summary(folder: Path) -> str:
    """What a terminal shows: a line a board, then Autobahn."""
    lines = []
    for board, label in _BOARDS.items():
        rows = _read(folder / f"{board}.csv")
        if not rows:
            continue
        count = Counter(row["verdict"] for row in rows)
        judged = _read(folder / f"{board}-tshark.csv")
        malformed = sum(int(row["malformed"]) + int(row["errors"]) for row in judged)
        lines.append(
            f"{label}: {len(rows)} runs of {len(FOREIGN_CASES)} cases:"
            f" {count['kept']} promises kept, {count['broken']} broken,"
            f" {count['none']} without a promise;"
            f" {malformed} packets malformed or in error in {len(judged)} captures"
        )
        lines += [
            f"  broken: {row['case']} at {row['loss_pct']} %: lost {row['lost']}, came again"
            f" {row['duplicated']}"
            for row in rows
            if row["verdict"] == "broken"
        ]
    for agent, own in groupby(_read(folder / "autobahn.csv"), key=lambda row: row["agent"]):
        count = Counter(row["behavior"] for row in own)
        results = ", ".join(f"{number} {result.lower()}" for result, number in count.most_common())
        lines.append(f"Autobahn, {agent}: {results}")
    return "\n".join(lines)
