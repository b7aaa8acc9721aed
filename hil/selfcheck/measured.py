"""Write pages of docs/measured: `python -m hil.selfcheck.measured [PAGE...]`, or all of them.

docs/measured/pages.yaml lists the pages. A page comes from the output of a program that measures
(`command`), or from a table that was recorded (`recorded`, a CSV file). Comma-separated output
becomes a table, a Markdown table stays as it is, and other text becomes a code block. The page
states the commit with its date and the machine; for a recorded table `origin` states both. A list
below the table has what is too long for it: the texts of the column `listed`.
Exit status 1 if a command fails; its page then keeps its former content.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hil.base.documents import read_yaml
from hil.base.errors import InputError, LabError, ThinwireError, print_error
from hil.base.paths import ROOT

FOLDER = ROOT / "docs" / "measured"


def pages(folder: Path = FOLDER) -> Mapping[str, Mapping[str, Any]]:
    """Return the entries of pages.yaml by name of their page, without `.md`."""
    return read_yaml(folder / "pages.yaml")


def machine() -> str:
    """Describe this computer: processors and their model, distribution, kernel."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.partition(":")[2].strip() for line in lines if "model name" in line), "")
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    count = len(os.sched_getaffinity(0))
    return (
        f"{count} processors ({model or platform.machine()}), {system}, Linux {platform.release()}"
    )


def commit() -> str:
    """Return the commit of this checkout with its date, and whether files differ from it."""
    git = ["git", "-C", str(ROOT)]
    show = [*git, "log", "-1", "--format=commit %h of %cs"]
    changed = [*git, "status", "--porcelain", "-uno", "--", ".", ":!docs"]
    texts = [
        subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()
        for words in (show, changed)
    ]
    return texts[0] + (", with changes" if texts[1] else "")


def _filled(text: str, indent: str = "") -> str:
    """Wrap a paragraph, or an item of a list whose further lines are indented."""
    return textwrap.fill(
        text, 116, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _body(text: str, listed: str = "") -> str:
    """Return a program's output as Markdown; the column `listed` as a list below its table."""
    if text.startswith("|"):
        return text
    rows = list(csv.reader(text.splitlines()))
    if len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
        head, *rows = rows
        below = ""
        if listed:
            at = head.index(listed)
            below = f"\n\n{head.pop(at).capitalize()}:\n"
            texts = [(row[0], row.pop(at)) for row in rows]
            items = [_filled(f"- {name}: {text}", "  ") for name, text in texts if text]
            below += "".join(f"\n{item}" for item in items)
        lines = [head, ["---"] * len(head), *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines) + below
    return f"```\n{text.rstrip()}\n```"


def page(name: str, entry: Mapping[str, Any], output: str, origin: str) -> str:
    """Return the page's text: title, command, origin, what the table means, the table."""
    source = f"`{entry['command']}`" if "command" in entry else f"[{entry['recorded']}]"
    if "recorded" in entry and "command" not in entry:
        source += f"({entry['recorded']})"
    return "\n\n".join(
        [
            f"# {entry['title']}",
            f"<!-- Generated: python -m hil.selfcheck.measured {name} -->",
            f"- Source: {source}\n" + _filled(f"- Measured: {origin}", "  "),
            *(_filled(paragraph) for paragraph in entry["about"].strip().split("\n")),
            _body(output.strip("\n"), entry.get("listed", "")) + "\n",
        ]
    )


def output_of(name: str, entry: Mapping[str, Any], folder: Path = FOLDER) -> str:
    """Return the recorded table, or what the page's command prints.

    Raises:
        InputError: the recorded table does not exist.
        LabError: the command fails.
    """
    if "command" not in entry:
        try:
            return (folder / entry["recorded"]).read_text(encoding="utf-8")
        except OSError as error:
            path = folder / entry["recorded"]
            raise InputError(path, "", f"cannot be read ({error.strerror})", "record it") from None
    words = shlex.split(entry["command"])
    if words[0] == "python":
        words[0] = sys.executable
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise LabError(f"{name}: {entry['command']}: exit status {done.returncode}; run it alone")
    return done.stdout


def main() -> int:
    """Write the pages; 0 if every command succeeded."""
    known = pages()
    parser = argparse.ArgumentParser(prog="python -m hil.selfcheck.measured", description=__doc__)
    parser.add_argument("page", nargs="*", default=[*known], help=", ".join(known))
    status = 0
    for name in parser.parse_args().page:
        try:
            if name not in known:
                raise InputError("measured", name, "is no page", f"name one of {', '.join(known)}")
            entry = known[name]
            origin = entry.get("origin") or f"{commit()}, on {machine()}"
            text = page(name, entry, output_of(name, entry), origin)
            (FOLDER / f"{name}.md").write_text(text, encoding="utf-8")
        except ThinwireError as error:
            status = max(status, print_error(error))
    return status


if __name__ == "__main__":
    sys.exit(main())
