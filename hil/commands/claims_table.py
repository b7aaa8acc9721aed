"""The table of claims that `thinwire claims` reads: a build's, else the shipped one.

The project and the wheel carry the table of a build (data/shipped, by tools/ship.py) and the
verdicts of the last run of the full designs (data/full). They answer where no build has made a
table of its own.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hil.base.documents import read_json, read_yaml
from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.commands import project
from hil.commands.claims_list import Claim

FULL = ROOT / "data" / "full"
SHIPPED = ROOT / "data" / "shipped"
ENTRIES = ROOT / "data" / "published" / "claims"
CLAIMS, STUDIES = "claims.csv", "studies.csv"
BUILD = "claims.json"  # the commit and the date of the build whose table is shipped
_ERROR = re.compile(r" within the lab's error.*$")
_MARGIN = re.compile(r"(; counts from| within| at most) .*$")


class Table(NamedTuple):
    """Claims, the file that has them, and what to print about a table that no build has made."""

    claims: list[Claim]
    path: Path
    note: str = ""


def read(path: Path) -> list[Claim]:
    """Read the rows of a build's table of claims.

    Raises:
        InputError: the file cannot be read, or lacks a column.
    """
    try:
        return [Claim(**{name: row[name] for name in Claim._fields}) for row in _rows(path)]
    except KeyError as error:
        problem = f"has no column {error}"
    except InputError as error:
        problem = error.problem
    raise InputError(path, "", problem, project.remake(path))


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(path, "", f"cannot be read ({why})", "restore it from git") from error


def entries(folder: Path = ENTRIES) -> dict[str, dict[str, str]]:
    """Return what the sources state, by name of the claim; no claim where the folder is absent."""
    found = {}
    for file in sorted(folder.glob("*.yaml")):
        source = file.stem.partition("-")[0]
        for entry in read_yaml(file)["claims"]:
            texts = {key: str(entry.get(key, "")) for key in ("section", "statement", "published")}
            needs = " ".join(entry.get("needs", []))
            known = {"source": source, "needs": needs, "kind": "repetition"}
            found[entry["id"]] = texts | known
    return found


def recorded(folder: Path) -> list[Claim]:
    """Return the claims that the last full run decided, in the form of a build's table.

    Raises:
        InputError: a table of the folder cannot be read.
    """
    commits = {row["study"]: row["commit"] for row in _rows(folder / STUDIES)}
    rows = _rows(folder / CLAIMS)
    stated = {} if all(row.get("statement") for row in rows) else entries()
    return [
        _recorded(row, commits.get(row["study"], ""), stated.get(row["claim"], {})) for row in rows
    ]


def _recorded(row: Mapping[str, str], commit: str, stated: Mapping[str, str]) -> Claim:
    """Return a row of data/full as a claim; the source's entry fills what the row has not."""
    texts = dict.fromkeys(Claim._fields, "") | stated | {k: v for k, v in row.items() if v}
    full = {"full": row["verdict"], "full_ours": row["ours"], "counts_as": row["verdict"]}
    known = texts | full | {"full_commit": commit}
    return Claim(**{name: known[name] for name in Claim._fields})


def _with_full(claims: list[Claim], full: list[Claim]) -> list[Claim]:
    """Return the claims of a build with the verdicts that the full run gave under the same rule, as
    add_full() does in workflow/R/study/R/full_runs.R."""

    def key(claim: Claim, dropped: re.Pattern[str]) -> tuple[str, str]:
        return claim.claim, dropped.sub("", claim.rule).strip()

    known = {key(claim, _ERROR): claim for claim in full}
    bare = {key(claim, _MARGIN): claim for claim in full}
    names = ("full", "full_ours", "full_commit", "counts_as")
    out = []
    for claim in claims:
        found = known.get(key(claim, _ERROR))
        if found is None and claim.verdict == "not testable":
            found = bare.get(key(claim, _MARGIN))
        given = {name: getattr(found, name) for name in names} if found else {}
        out.append(claim._replace(**given))
    return out


def _note(shipped: Path, full: Path) -> str:
    """Say which builds the shipped verdicts are of, and what replaces them."""
    parts = []
    if (shipped / CLAIMS).is_file():
        build = read_json(shipped / BUILD, "restore it from git")
        parts.append(f"of commit {build['commit'][:12]} ({build['date']})")
    if (full / CLAIMS).is_file():
        rows = _rows(full / STUDIES)
        names = ", ".join(sorted(row["study"] for row in rows))
        builds = sorted({f"{row['commit'][:12]} ({row['date']})" for row in rows})
        parts.append(f"of the full run of {names}, commit {', '.join(builds)}")
    return (
        f"Shipped results {', and '.join(parts)}; 'make paper' decides all claims, and replaces"
        " them."
    )


def _shipped(shipped: Path, full: Path) -> Table | None:
    """Return the shipped table with the verdicts of the last full run; None if neither is there."""
    table, recorded_full = shipped / CLAIMS, full / CLAIMS
    found = recorded(full) if recorded_full.is_file() else []
    if table.is_file():
        return Table(_with_full(read(table), found), table, _note(shipped, full))
    return Table(found, recorded_full, _note(shipped, full)) if found else None


def find(given: Path | None = None) -> Table:
    """Return the given table, else that of the project's own build, else the shipped one.

    Raises:
        InputError: there is none, or it cannot be read.
    """
    own = given or project.path(project.CLAIMS)
    if given or own.is_file():
        return Table(read(own), own)
    return _shipped(SHIPPED, FULL) or Table(read(own), own)
