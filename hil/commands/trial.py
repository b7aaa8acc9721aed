"""`thinwire trial run`, `verify`, `compare` and `turnaround`: run trials, examine bundles."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from hil.base.errors import InputError, ThinwireError, ToolMissing
from hil.bundle import diff, turnaround, verify
from hil.bundle import store as bundle
from hil.commands import complete, machine_options, options, project, trial_run
from hil.design.trials import DEFAULT_TESTBED
from hil.rig.boards import BOARDS
from hil.system.progress import Bar
from hil.testbeds import runner

Found = TypeVar("Found")
EXAMPLES = """\
Examples:
  thinwire trial run smoke
  thinwire trial run matrix --point mode=coap-con payload_bytes=100 --rep 1
  thinwire trial verify data/raw/smoke
"""


def _configure_run(run: argparse.ArgumentParser) -> None:
    run.epilog = EXAMPLES
    run.add_argument(
        "study", metavar="STUDY", help="name of a study, or path of its file"
    ).completer = complete.studies  # type: ignore[attr-defined]
    run.add_argument(
        "--trial", metavar="ID", help="only the trial with this name"
    ).completer = complete.trials  # type: ignore[attr-defined]
    run.add_argument(
        "--point",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        action="extend",
        help="only trials with these levels",
    ).completer = complete.levels  # type: ignore[attr-defined]
    run.add_argument("--rep", type=int, metavar="N", help="only this repetition")
    run.add_argument(
        "--testbed",
        default=DEFAULT_TESTBED,
        choices=sorted(runner.TESTBEDS),
        help="where the trials run",
    )
    machine_options.add_machine(run)
    run.add_argument(
        "--place", default="", help="board of the testbed 'hardware', by its labgrid place"
    )
    run.add_argument(
        "--board", choices=sorted(BOARDS), help="the device (default: that of the study)"
    )
    options.add_profile(run)
    run.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help=f"root of the bundles (default: {project.BUNDLES} of the project)",
    )
    run.add_argument("--missing", action="store_true", help="only trials that have no bundle yet")
    run.add_argument(
        "--timeout",
        type=float,
        metavar="S",
        help="limit of a trial's wall-clock time (default: 15 min and five times its duration)",
    )


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    run = actions.add_parser("run", help="run trials of a study and store their bundles")
    _configure_run(run)
    check = actions.add_parser(
        "verify", help="check checksums, schemas, nonce and counts of bundles"
    )
    pair = actions.add_parser(
        "compare", help="find the first difference between two runs of one trial"
    )
    pair.add_argument("bundles", type=Path, nargs=2, metavar="DIR", help="a bundle's folder")
    times = actions.add_parser(
        "turnaround", help="measure from captures how long servers took to answer"
    )
    for bundles in (check, times):
        bundles.add_argument(
            "bundles",
            type=Path,
            nargs="+",
            metavar="DIR",
            help="a bundle's folder, or one with bundles below it",
        )
    for action in (run, check, pair, times):
        action.add_argument("--json", action="store_true", help="print JSON")


def _below(folders: list[Path]) -> list[Path]:
    """Return each folder, or the bundles below it if it is none."""
    found: list[Path] = []
    for folder in folders:
        inside = [] if (folder / bundle.SUMS).exists() else sorted(folder.rglob(bundle.SUMS))
        found += [path.parent for path in inside] or [folder]
    return found


def _each_bundle(
    bundles: list[Path], examine: Callable[[Path], Found]
) -> Iterator[tuple[Path, Found]]:
    """Yield each bundle with the result of `examine`; show a progress bar."""
    with Bar(len(bundles)) as bar:
        for number, folder in enumerate(bundles):
            bar.show(number, folder.name)
            found = examine(folder)
            bar.clear()
            yield folder, found


def _checked(folder: Path) -> verify.Summary | ThinwireError:
    files = (*bundle.FILES, bundle.SUMS)
    if folder.is_dir() and not any((folder / name).exists() for name in files):
        remedy = "name a bundle's folder, such as data/raw/smoke/TRIAL, or one above it"
        return InputError(folder, "", "has no bundle in it or below it", remedy)
    try:
        return verify.check(folder)
    except ToolMissing:  # which no bundle is to blame for
        raise
    except ThinwireError as error:
        return error


def _described(folder: Path, found: verify.Summary | ThinwireError) -> dict[str, Any]:
    if isinstance(found, ThinwireError):
        return {"bundle": str(folder), "valid": False, "problem": str(found)}
    return {"bundle": str(folder), "valid": True, **dataclasses.asdict(found)}


def _verify(arguments: argparse.Namespace) -> int:
    """Verify all bundles; return the highest exit status."""
    status = 0
    rows = []
    for folder, found in _each_bundle(_below(arguments.bundles), _checked):
        rows.append(_described(folder, found))
        if isinstance(found, ThinwireError):
            print(f"thinwire: error: {found}", file=sys.stderr)
            status = max(status, found.status)
        elif not arguments.json:
            reason = f" ({found.reason})" if found.reason else ""
            logged = f"{found.sent} sent, {found.acknowledged} acknowledged, "
            print(
                f"{folder}: valid; outcome {found.outcome}{reason}; {found.frames} frames, "
                f"{'' if found.foreign else logged}{found.received} received"
            )
    if arguments.json:
        print(json.dumps(rows, indent=1))
    return status


def _compare(arguments: argparse.Namespace) -> int:
    """Print the differences of two bundles; return 1 if there are any."""
    one, two = arguments.bundles
    conditions = diff.conditions(one, two)
    divergences = diff.divergences(one, two)
    texts = diff.texts(one, two)
    if arguments.json:
        rows = [
            {"stream": each.stream, "event": each.position, "time_ns": each.time_ns}
            for each in divergences
        ]
        found = {"conditions": conditions, "divergences": rows, "texts": texts}
        print(json.dumps(found, indent=1))
        return int(bool(conditions or divergences or texts))
    for line in (*conditions, *texts):
        print(line)
    if not divergences:
        print("the same events, each at the same time")
        return int(bool(conditions or texts))
    print(f"first difference {divergences[0]}")
    for later in divergences[1:]:
        print(f"then {later.where}")
    return 1


def _turnaround(arguments: argparse.Namespace) -> int:
    rows = []
    for folder, times in _each_bundle(_below(arguments.bundles), turnaround.times_us):
        rows.append({"bundle": str(folder), **times._asdict()})
        if not arguments.json:
            print(f"{folder.name}: {times}")
    if arguments.json:
        print(json.dumps(rows, indent=1))
    return 0


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action; return 0, or 1 if a trial or a check failed."""
    actions = {
        "run": trial_run.run,
        "verify": _verify,
        "compare": _compare,
        "turnaround": _turnaround,
    }
    return actions[arguments.action](arguments)
