"""`thinwire doctor`: list requirements, the versions tested, and what is lost without each.

`--fix` repairs what it can with the steps of `make setup`.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from hil.base.paths import ROOT
from hil.commands import checks
from hil.commands.checks import Finding
from hil.machine.shipped import IN_WHEEL
from hil.system import colours, orphans
from hil.system.progress import Bar

Checks = Iterable[Callable[[], Iterator[Finding]]]

EXAMPLES = """\
Examples:
  thinwire doctor
  thinwire doctor --fix
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument("--quiet", action="store_true", help="print only what is missing")
    parser.add_argument("--json", action="store_true", help="print all findings as JSON")
    parser.add_argument(
        "--fix",
        action="store_true",
        help="install, fetch and build what is missing; remove locks of a dead workflow",
    )


def _line(finding: Finding) -> str:
    kind = "MISSING" if finding.remedy else "without" if finding.note else "ok"
    text = "; ".join(part for part in (finding.state, finding.note, finding.remedy) if part)
    return f"{colours.word(kind, 8)} {finding.what}: {text}"


def _findings(chosen: Checks) -> Iterator[Finding]:
    """Run the checks and yield their findings; show a progress bar."""
    checks_to_do = list(chosen)
    with Bar(len(checks_to_do)) as bar:
        for number, check in enumerate(checks_to_do):
            for finding in check():
                bar.clear()
                yield finding
                bar.show(number, f"after {finding.what}")


def _report(chosen: Checks, quiet: bool) -> list[Finding]:
    """Print the findings; return those with a remedy or a note."""
    lacking = []
    for finding in _findings(chosen):
        if finding.remedy or finding.note:
            lacking.append(finding)
        if finding.remedy or not quiet:
            print(_line(finding), flush=True)
    return lacking


def _closing(lacking: list[Finding]) -> str:
    """Return the last line: ready or not, and how many optional things are absent."""
    missing = [finding.what for finding in lacking if finding.remedy]
    optional = len(lacking) - len(missing)
    beside = f"; {optional} optional absent or untested" if optional else ""
    if missing:
        repairs = any(finding.fix for finding in lacking if finding.remedy)
        fix = "; 'thinwire doctor --fix' installs" if repairs else ""
        return f"not ready: {', '.join(missing)} missing{beside}{fix}"
    return f"ready{beside}"


def repair(fix: tuple[str, ...]) -> int:
    """Run one of checks.REPAIRS; return its exit status."""
    if fix == checks.UNLOCK:
        held = orphans.adopt(ROOT)
        if held is not None:
            os.close(held)
        return 0 if held is not None else 1
    here = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ.get('PATH', '')}"}
    return subprocess.run(fix, cwd=ROOT, env=environment, check=False).returncode


def run(
    arguments: argparse.Namespace, chosen: Checks = checks.WHEEL if IN_WHEEL else checks.ALL
) -> int:
    """Return 0 if nothing required is missing (any more), else 1."""
    if arguments.json:
        found = list(_findings(chosen))
        print(json.dumps([dataclasses.asdict(finding) for finding in found], indent=1))
        return int(any(finding.remedy for finding in found))
    lacking = _report(chosen, arguments.quiet)
    if arguments.fix:
        wanted = {finding.fix for finding in lacking if finding.fix}
        for fix in checks.REPAIRS:
            if fix in wanted:
                print(f"fixing   {' '.join(fix)}", flush=True)
                if status := repair(fix):
                    print(f"         failed with status {status}", flush=True)
        if wanted:
            print("checking again")
            lacking = _report(chosen, quiet=True)
    if not arguments.quiet:
        print(_closing(lacking))
    return int(any(finding.remedy for finding in lacking))
