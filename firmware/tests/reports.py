"""Make a client with the fault of a public bug report: reports.py NAME FOLDER [--sound] [--bare]

Each file of firmware/tests/reports states a report, the change that puts its fault into one of our
engines or the host's board, and a trial in which an expectation breaks. FOLDER gets the changed
firmware as a Linux program, and a thinwire.yaml for `thinwire try` and `thinwire hunt`. --sound:
the firmware without the change. --bare: the trial without its faults, for a search.

Exit status 2 if a name is unknown, a change does not apply, or the host's firmware is not built.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

TOP = Path(__file__).resolve().parents[2]
REPORTS = Path(__file__).with_name("reports")
BUILD = TOP / "build" / "firmware" / "host"
PROGRAM = "thinwire-host"


class Unusable(Exception):
    """Why a client cannot be made, in one line."""


@dataclass(frozen=True)
class Report:
    """One report.

    Attributes:
        reports: addresses of the issues, `OWNER/NAME#NUMBER`.
        symptom: what their authors saw.
        changes: of each the file below firmware/, the text that was there, and what is instead.
        trial: the document of its thinwire.yaml, without the device.
        arguments: of the firmware.
        breaks: the expectation of the trial that does not hold with the change.
    """

    name: str
    reports: tuple[str, ...]
    symptom: str
    changes: tuple[dict[str, str], ...]
    trial: dict[str, Any]
    arguments: tuple[str, ...]
    breaks: str


def names() -> list[str]:
    """Return the name of each report."""
    return sorted(path.stem for path in REPORTS.glob("*.yaml"))


def read(name: str) -> Report:
    """Return the report of that name.

    Raises:
        Unusable: there is none.
    """
    if name not in names():
        raise Unusable(f"{name}: no such report; give one of {', '.join(names())}")
    given = yaml.safe_load((REPORTS / f"{name}.yaml").read_text(encoding="utf-8"))
    for key in ("reports", "changes", "arguments"):
        given[key] = tuple(given[key])
    return Report(name, **given)


def changed(report: Report) -> dict[Path, str]:
    """Return the text of each source file that the report changes.

    Raises:
        Unusable: the text to replace is not there exactly once.
    """
    found: dict[Path, str] = {}
    for change in report.changes:
        source = TOP / "firmware" / change["in"]
        text = found.get(source) or source.read_text(encoding="utf-8")
        if text.count(change["was"]) != 1:
            raise Unusable(f"{report.name}: {change['in']}: {change['was']!r} is not there once")
        found[source] = text.replace(change["was"], change["is"])
    return found


def _commands() -> list[list[str]]:
    """Return the commands that build the host's firmware, as words, the link last.

    Raises:
        Unusable: it is not built, or cannot be built anew from changed sources, whose objects would
            not fit together with those that are there.
    """
    if not (BUILD / PROGRAM).is_file():
        raise Unusable(f"{BUILD / PROGRAM} is not built; run 'make device'")
    ninja = ["ninja", "-C", str(BUILD)]
    if subprocess.run([*ninja, PROGRAM], capture_output=True, check=False).returncode:
        raise Unusable(f"{BUILD / PROGRAM} cannot be built from its sources; run 'make device'")
    argv = [*ninja, "-t", "commands", PROGRAM]
    lines = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    return [[word for word in shlex.split(line) if word not in {":", "&&"}] for line in lines]


def _run(argv: list[str], text: str, what: str) -> None:
    """Run a command of the build; raise Unusable with its first line if it fails."""
    done = subprocess.run(argv, cwd=BUILD, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unusable(f"{what}: {(done.stderr.strip() or 'cannot be built').splitlines()[0]}")


def build(texts: dict[Path, str], program: Path) -> None:
    """Build the host's firmware with these texts in place of its files.

    Raises:
        Unusable: it is not built yet, or a changed file is no C.
    """
    *compiles, link = _commands()
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for source, text in texts.items():
            words = next(words for words in compiles if words[-1] == str(source))
            made = str(Path(folder, f"{source.stem}.o"))
            argv = [*words[: words.index("-MD")], "-iquote", str(source.parent)]
            _run([*argv, "-x", "c", "-o", made, "-c", "-"], text, str(source))
            objects.append(made)
            own = words[words.index("-o") + 1]
            link = [word for word in link if word != own]
        at = link.index("-o")
        # Before the archives, so that their members of the same functions are not taken.
        _run([*link[:at], *objects, "-o", str(program), *link[at + 2 :]], "", PROGRAM)


def make(report: Report, folder: Path, *, sound: bool = False, bare: bool = False) -> None:
    """Write the folder of a client.

    Raises:
        Unusable: see `build`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    build({} if sound else changed(report), folder.resolve() / PROGRAM)
    who = ["nonce={nonce}", "id={id}", "topic={topic}", "peer={server}", "port={port}"]
    device = {"program": PROGRAM, "arguments": [*who, "stat_ms=10000", *report.arguments]}
    trial = {key: value for key, value in report.trial.items() if not (bare and key == "faults")}
    document = {"device": device, "files": [], **trial}
    text = yaml.safe_dump(document, sort_keys=False, width=100)
    (folder / "thinwire.yaml").write_text(f"# {report.symptom}\n{text}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="reports.py", description=__doc__)
    parser.add_argument("name", help=", ".join(names()))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sound", action="store_true", help="without the change")
    parser.add_argument("--bare", action="store_true", help="without the faults of the trial")
    given = parser.parse_args()
    try:
        make(read(given.name), given.folder, sound=given.sound, bare=given.bare)
    except Unusable as error:
        print(f"thinwire: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
