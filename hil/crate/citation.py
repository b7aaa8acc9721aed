"""Authors, licence and identifiers of a crate, from CITATION.cff (Citation File Format 1.2) or the
command line."""

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
    """A person or an organization; `orcid` is a URL, or empty."""

    name: str
    orcid: str = ""
    person: bool = True


@dataclass(frozen=True)
class Citation:
    """How a crate is cited.

    Attributes:
        license: an SPDX identifier.
        doi: without its resolver; may be empty.
        url: the project's address; may be empty.
    """

    version: str
    license: str
    authors: tuple[Author, ...]
    doi: str = ""
    url: str = ""
    keywords: tuple[str, ...] = ()


def _check_digit(digits: str) -> str:
    """Compute the check digit of an ORCID from its first 15 digits (ISO 7064, MOD 11-2)."""
    total = 0
    for digit in digits:
        total = (total + int(digit)) * 2
    rest = (12 - total % 11) % 11
    return "X" if rest == 10 else str(rest)


def orcid(text: str, source: str | Path, key: str) -> str:
    """Return an ORCID as a URL.

    Raises:
        InputError: the text is no ORCID.
    """
    found = _ORCID.fullmatch(text.strip())
    digits = found[1].replace("-", "") if found else ""
    if not found or _check_digit(digits[:-1]) != digits[-1]:
        raise InputError(source, key, f"'{text}' is no ORCID", "copy it from the person's page")
    return f"https://orcid.org/{found[1]}"


def doi(text: str, source: str | Path, key: str) -> str:
    """Return a DOI without its resolver.

    Raises:
        InputError: the text is no DOI.
    """
    if not (found := _DOI.fullmatch(text.strip())):
        raise InputError(source, key, f"'{text}' is no DOI", "write it as 10.5281/zenodo.1234567")
    return found[1]


def author(text: str) -> Author:
    """Parse an author of the command line: `Name` or `Name=ORCID`."""
    name, separator, number = (part.strip() for part in text.partition("="))
    if not name:
        raise InputError("--author", text, "has no name", "write 'Name=0000-0002-1825-0097'")
    return Author(name, orcid(number, "--author", name) if separator else "")


def _author(entry: Any, path: Path, key: str) -> Author:
    if not isinstance(entry, dict):
        raise InputError(path, key, "is neither a person nor an organization", "give it a name")
    number = orcid(str(entry["orcid"]), path, f"{key}.orcid") if "orcid" in entry else ""
    if "name" in entry:
        return Author(str(entry["name"]), number, person=False)
    parts = ("given-names", "name-particle", "family-names", "name-suffix")
    name = " ".join(str(entry[part]) for part in parts if entry.get(part))
    if not name:
        raise InputError(path, key, "has no name", "give 'name', or 'family-names'")
    return Author(name, number)


def read(path: Path) -> Citation:
    """Read CITATION.cff.

    Raises:
        InputError: it is malformed, or lacks version, licence or authors.
    """
    document = read_yaml(path)
    if not isinstance(document, dict):
        raise InputError(path, "", "is not a mapping", "see citation-file-format.github.io")
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
