"""authors.py AUTHORS.yaml: the authors as LaTeX, for the class of the paper to lay out.

\\paperauthors is \\writer{name}{affiliation}{country}{email} for each author, with \\nextwriter
between two; \\papernames the names alone, for the file's metadata. Status 1 if the file is wrong.
"""

import argparse
import sys
from pathlib import Path

import yaml

KEYS = ["name", "affiliation", "country", "email"]
ESCAPES = {character: "\\" + character for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def latex(text: str) -> str:
    return "".join(ESCAPES.get(character, character) for character in text)


def read(path: Path) -> list[dict[str, str]]:
    """The authors, each with all of KEYS."""
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        sys.exit(f"thinwire: error: {path.name}: is no YAML: {' '.join(str(error).split())}")
    authors = document.get("authors") if isinstance(document, dict) else None
    if not isinstance(authors, list) or not authors:
        sys.exit(f"thinwire: error: {path.name}: authors: is no list; name one author at least")
    for number, author in enumerate(authors, 1):
        place = f"thinwire: error: {path.name}: author {number}"
        if not isinstance(author, dict) or not author.get("name"):
            sys.exit(f"{place}: has no name; write 'name: ...'")
        for key, value in author.items():
            if key not in KEYS:
                sys.exit(f"{place}: unknown key {key!r}; use {', '.join(KEYS)}")
            if not isinstance(value, str):
                sys.exit(f"{place}: {key}: is no text; put it between quotes")
    return [{key: author.get(key, "") for key in KEYS} for author in authors]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("authors", type=Path)
    authors = read(parser.parse_args().authors)
    writers = [
        r"\writer" + "".join(f"{{{latex(author[key])}}}" for key in KEYS) for author in authors
    ]
    print(rf"\newcommand{{\paperauthors}}{{{(chr(92) + 'nextwriter ').join(writers)}}}")
    names = ", ".join(latex(author["name"]) for author in authors)
    print(rf"\newcommand{{\papernames}}{{{names}}}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
