"""check_pdf.py PDF: each font of the file is embedded, and in outlines.

A font that is not there is replaced by the reader's, and one of dots (Type 3, as LaTeX makes where
a font has no outlines) cannot be enlarged; PDF/A and the publishers refuse both. Status 1 if there
is any, or if qpdf cannot read the file.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path


def objects(pdf: Path) -> dict[str, object]:
    """The file's objects by their references, as qpdf writes them."""
    done = subprocess.run(
        ["qpdf", "--json=2", "--json-key=qpdf", str(pdf)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"thinwire: error: {pdf}: qpdf: {done.stderr.strip()}")
    return {
        name.removeprefix("obj:"): content["value"]
        for name, content in json.loads(done.stdout)["qpdf"][1].items()
        if "value" in content
    }


def faults(pdf: Path) -> list[str]:
    """Each font that a reader may see wrong, with what is wrong, once."""
    found = objects(pdf)
    said = []
    for font in found.values():
        if not isinstance(font, dict) or font.get("/Type") != "/Font":
            continue
        kind, name = font.get("/Subtype"), str(font.get("/BaseFont", "/unnamed")).lstrip("/")
        if kind == "/Type3":
            said.append("a font of dots (Type 3): give its family one with outlines")
        elif kind != "/Type0":  # whose descendant is one of its own
            descriptor = font.get("/FontDescriptor")
            if isinstance(descriptor, str):
                descriptor = found.get(descriptor)
            if not isinstance(descriptor, dict) or not any(
                key.startswith("/FontFile") for key in descriptor
            ):
                said.append(f"the font {name} is not embedded")
    return sorted(set(said))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pdf", type=Path)
    options = parser.parse_args()
    found = faults(options.pdf)
    for fault in found:
        print(f"thinwire: error: {options.pdf.name}: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
