"""`thinwire trial run`, `verify`, `compare` and `turnaround`: run trials, examine bundles."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from hil.base.errors import InputError, ThinwireError
from hil.bundle import diff, turnaround, verify
from hil.commands import machine_options
from hil.design.studies import available, load_study, select
from hil.design.trials import DEFAULT_TESTBED, Trial
from hil.rig.boards import BOARDS
from hil.system import colours
from hil.system.progress import Bar
from hil.testbeds import runner
from hil.testbeds.base import Testbed

Found = TypeVar("Found")


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="run|verify|compare|turnaround"
    )
    run = actions.add_parser("run", help="run trials of a study and store their bundles")
    study = run.add_argument("study", help="name of a study, or path of its file")
    study.completer = lambda **_: available()  # type: ignore[attr-defined]
    one = run.add_argument("--trial", metavar="ID", help="only the trial with this name")
    one.completer = _names  # type: ignore[attr-defined]
    run.add_argument(
        "--point",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        action="extend",
        help="only trials with these levels",
    )
    run.add_argument("--rep", type=int, metavar="N", help="only this repetition")
    run.add_argument("--testbed", default=DEFAULT_TESTBED, choices=sorted(runner.TESTBEDS))
    machine_options.add_machine(run)
    run.add_argument(
        "--place", default="", help="board of the testbed 'hardware', by its labgrid place"
    )
    run.add_argument("--board", choices=sorted(BOARDS))
    run.add_argument("--profile", default="quick", choices=["quick", "full"])
    run.add_argument("--out", type=Path, required=True, metavar="DIR", help="root of the bundles")
    run.add_argument(
        "--timeout", type=float, metavar="S", help="limit of a trial's wall-clock time"
    )
    check = actions.add_parser(
        "verify", help="check checksums, schemas, nonce and counts of bundles"
    )
    pair = actions.add_parser(
        "compare", help="find the first difference between two runs of one trial"
    )
    pair.add_argument("bundles", type=Path, nargs=2, metavar="DIR")
    times = actions.add_parser(
        "turnaround", help="measure from captures how long servers took to answer"
    )
    for bundles in (check, times):
        bundles.add_argument("bundles", type=Path, nargs="+", metavar="DIR")


def _names(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Complete --trial: return the names of the trials of the study on the command line."""
    profile = parsed_args.profile or "quick"
    return [trial.id for trial in load_study(parsed_args.study).trials(profile)]


def _chosen(arguments: argparse.Namespace) -> list[Trial]:
    """Return the trials that the arguments select.

    Raises:
        InputError: they select none.
    """
    study = load_study(arguments.study)
    trials = study.trials(arguments.profile, arguments.testbed, arguments.board)
    wanted = {}
    for word in arguments.point:
        key, separator, value = word.partition("=")
        if not separator or not value:
            raise InputError("--point", word, "is not KEY=VALUE", "write it as in qos=1")
        wanted[key] = value
    found = select(trials, wanted, arguments.rep)
    if arguments.trial:
        found = [trial for trial in found if trial.id == arguments.trial]
    if not found:
        raise InputError(
            "trial",
            arguments.trial or " ".join(arguments.point) or str(arguments.rep),
            f"is none of the {len(trials)} trials of profile '{arguments.profile}'",
            f"see 'thinwire studies {arguments.study}'",
        )
    return found


def _run(arguments: argparse.Namespace) -> int:
    trials = _chosen(arguments)
    emulator = {"emulator": arguments.emulator}
    of_testbed = {
        "virtual": {"machine": arguments.machine} | emulator,
        "live": emulator,
        "hardware": {"place": arguments.place},
    }
    settings = of_testbed.get(arguments.testbed, {})
    testbed = runner.testbed(arguments.testbed, **settings)
    testbed.prepare()
    with Bar(sum(runner.lasts_s(trial.facts) for trial in trials)) as bar:
        return _each(trials, testbed, arguments, bar)


def _each(trials: list[Trial], testbed: Testbed, arguments: argparse.Namespace, bar: Bar) -> int:
    """Run the trials one after the other; return 1 if one failed."""
    status, gone = 0, 0.0
    for number, trial in enumerate(trials, start=1):
        name = f"[{number}/{len(trials)}] {trial.study}/{trial.id}"
        began, lasts = time.monotonic(), runner.lasts_s(trial.facts)

        def show(
            virtual_s: int, name: str = name, gone: float = gone, lasts: float = lasts
        ) -> None:
            bar.show(gone + min(virtual_s, lasts), name)

        show(0)
        done = runner.run(trial, testbed, arguments.out, arguments.timeout, show)
        gone += lasts
        text = colours.word(done.outcome) + (f": {done.reason}" if done.reason else "")
        bar.clear()
        print(f"{name}: {text} ({time.monotonic() - began:.1f} s)", flush=True)
        status = status if done.outcome == "ok" else 1
    return status


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
    try:
        return verify.check(folder)
    except ThinwireError as error:
        return error


def _verify(arguments: argparse.Namespace) -> int:
    """Verify all bundles; return the highest exit status."""
    status = 0
    for folder, found in _each_bundle(arguments.bundles, _checked):
        if isinstance(found, ThinwireError):
            print(f"thinwire: error: {found}", file=sys.stderr)
            status = max(status, found.status)
            continue
        reason = f" ({found.reason})" if found.reason else ""
        print(
            f"{folder}: valid; outcome {found.outcome}{reason}; {found.frames} frames, "
            f"{found.sent} sent, {found.acknowledged} acknowledged, {found.received} received"
        )
    return status


def _compare(arguments: argparse.Namespace) -> int:
    """Print the differences of two bundles; return 1 if there are any."""
    one, two = arguments.bundles
    conditions = diff.conditions(one, two)
    divergences = diff.divergences(one, two)
    for line in conditions:
        print(line)
    if not divergences:
        print("the same events, each at the same time")
        return int(bool(conditions))
    print(f"first difference {divergences[0]}")
    for later in divergences[1:]:
        print(f"then {later.where}")
    return 1


def _turnaround(arguments: argparse.Namespace) -> int:
    for folder, summary in _each_bundle(arguments.bundles, turnaround.summary):
        print(f"{folder.name}: {summary}")
    return 0


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action; return 0, or 1 if a trial or a check failed."""
    actions = {"run": _run, "verify": _verify, "compare": _compare, "turnaround": _turnaround}
    return actions[arguments.action](arguments)
