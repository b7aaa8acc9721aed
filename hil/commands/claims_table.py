"""The table of claims that `thinwire claims` reads: a build's, else that of the last full run.

The project and the wheel carry the verdicts of the last run of the full designs (data/full). They
answer where no build has made a table of its own.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hil.base.documents import read_yaml
from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.commands import project
from hil.commands.claims_list import Claim

FULL = ROOT / "data" / "full"
ENTRIES = ROOT / "data" / "published" / "claims"
CLAIMS, STUDIES = "claims.csv", "studies.csv"


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
    raise InputError(path, "", problem, f"make it: snakemake --cores all -- {path}")


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


def note(folder: Path) -> str:
    """Say which run the shipped verdicts are of, and what replaces them."""
    rows = _rows(folder / STUDIES)
    builds = sorted({f"{row['commit'][:12]} ({row['date']})" for row in rows})
    return (
        f"Shipped results of the full run of {', '.join(sorted(row['study'] for row in rows))}, "
        f"commit {', '.join(builds)}; 'make paper' decides all claims, and replaces them."
    )


def find(given: Path | None = None) -> Table:
    """Return the given table, else that of the project's own build, else the shipped one.

    Raises:
        InputError: there is none, or it cannot be read.
    """
    own = given or project.path(project.CLAIMS)
    if given or own.is_file() or not (FULL / CLAIMS).is_file():
        return Table(read(own), own)
    return Table(recorded(FULL), FULL / CLAIMS, note(FULL))
