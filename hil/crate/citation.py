"""Who made what a crate holds, and under which licence: CITATION.cff (Citation File Format 1.2),
and what the command line says instead."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.base.documents import read_yaml
from hil.base.errors import InputError

_ORCID = re.compile(r"(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])")
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)?(10\.\d{4,9}/\S+)")


@dataclass(frozen=True)
class Author:
    """A person, or an organization; `orcid` is an address, empty if there is none."""

    name: str
    orcid: str = ""
    person: bool = True


@dataclass(frozen=True)
class Citation:
    """How a crate is cited. `license`: of SPDX's list; `doi`: without its resolver, may be
    empty; `url`: where the project is at home, may be empty."""

    version: str
    license: str
    authors: tuple[Author, ...]
    doi: str = ""
    url: str = ""
    keywords: tuple[str, ...] = ()


def _check_digit(digits: str) -> str:
    """The last sign of an ORCID by its first fifteen (ISO 7064, MOD 11-2)."""
    total = 0
    for digit in digits:
        total = (total + int(digit)) * 2
    rest = (12 - total % 11) % 11
    return "X" if rest == 10 else str(rest)


def orcid(text: str, source: str | Path, key: str) -> str:
    """The address of an ORCID.

    Raises:
        InputError: it is none.
    """
    found = _ORCID.fullmatch(text.strip())
    digits = found[1].replace("-", "") if found else ""
    if not found or _check_digit(digits[:-1]) != digits[-1]:
        raise InputError(source, key, f"'{text}' is no ORCID", "copy it from the person's page")
    return f"https://orcid.org/{found[1]}"


def doi(text: str, source: str | Path, key: str) -> str:
    """A DOI, without its resolver.

    Raises:
        InputError: it is none.
    """
    if not (found := _DOI.fullmatch(text.strip())):
        raise InputError(source, key, f"'{text}' is no DOI", "write it as 10.5281/zenodo.1234567")
    return found[1]


def author(text: str) -> Author:
    """An author as the command line has it: `Name` or `Name=ORCID`."""
    name, separator, number = (part.strip() for part in text.partition("="))
    if not name:
        raise InputError("--author", text, "has no name", "write 'Name=0000-0002-1825-0097'")
    return Author(name, orcid(number, "--author", name) if separator else "")


def _author(entry: Any, path: Path, key: str) -> Author:
    if not isinstance(entry, dict):
        raise InputError(path, key, "is no person and no organization", "give it a name")
    number = orcid(str(entry["orcid"]), path, f"{key}.orcid") if "orcid" in entry else ""
    if "name" in entry:
        return Author(str(entry["name"]), number, person=False)
    parts = ("given-names", "name-particle", "family-names", "name-suffix")
    name = " ".join(str(entry[part]) for part in parts if entry.get(part))
    if not name:
        raise InputError(path, key, "has no name", "give 'name', or 'family-names'")
    return Author(name, number)


def read(path: Path) -> Citation:
    """What CITATION.cff says.

    Raises:
        InputError: it is malformed, or has no version, licence or author.
    """
    document = read_yaml(path)
    if not isinstance(document, dict):
        raise InputError(path, "", "is no mapping", "see citation-file-format.github.io")
    for key in ("version", "license", "authors"):
        if not document.get(key):
            raise InputError(path, key, "is missing", "add it")
    entries = document["authors"]
    return Citation(
        str(document["version"]),
        str(document["license"]),
        tuple(_author(entry, path, f"authors.{at}") for at, entry in enumerate(entries)),
        doi(str(document["doi"]), path, "doi") if document.get("doi") else "",
        str(document.get("repository-code") or document.get("url") or ""),
        tuple(str(word) for word in document.get("keywords", ())),
    )
