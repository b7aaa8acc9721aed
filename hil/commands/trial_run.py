"""`thinwire trial run`: choose trials of a study, and run them one after the other."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import shlex
import time
from pathlib import Path
from typing import Any

from hil.base.errors import InputError
from hil.commands import carried, outputs, pace, project
from hil.design.studies import load_study, select
from hil.design.trials import DEFAULT_TESTBED, Trial
from hil.machine.uml import frozen
from hil.system import colours
from hil.system.progress import Bar
from hil.testbeds import runner
from hil.testbeds.base import Testbed

_LISTED = 8  # levels or names in a message


def _levels(trials: list[Trial], key: str) -> str:
    """Return the values that a parameter has in these trials, as text."""
    values = [trial.parameters[key] for trial in trials if key in trial.parameters]
    if all(isinstance(value, int | float) for value in values):
        values.sort()
    known = list(dict.fromkeys(json.dumps(value).strip('"') for value in values))
    if not known:
        return "none of these trials has it"
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    return f"it has {', '.join(known[:_LISTED])}{more}"


def _wanted(words: list[str]) -> dict[str, str]:
    wanted = {}
    for word in words:
        key, separator, value = word.partition("=")
        if not separator or not value:
            raise InputError("--point", word, "is not KEY=VALUE", "write it as in qos=1")
        wanted[key] = value
    return wanted


def _check_selected(arguments: argparse.Namespace, trials: list[Trial]) -> None:
    """Raise an InputError that names the option which selects none of the trials, and what does."""
    source = f"study {arguments.study}, profile {arguments.profile}"
    see = f"see {shlex.join(['thinwire', 'studies', arguments.study])}"
    left = trials
    for key, value in _wanted(arguments.point).items():
        before, left = left, select(left, {key: value}, None)
        if not left:
            levels = _levels(before, key)
            raise InputError(f"--point: {key}={value}", "", f"no trial of {source}; {levels}", see)
    if arguments.rep is not None:
        before, left = left, select(left, {}, arguments.rep)
        if not left:
            last = max(trial.repetition for trial in before)
            use = "1 only" if last == 1 else f"1 to {last}"
            raise InputError(f"--rep: {arguments.rep}", "", f"no trial of {source}", f"use {use}")
    near = difflib.get_close_matches(arguments.trial or "", [trial.id for trial in left], 1)
    remedy = f"did you mean '{near[0]}'?" if near else see
    raise InputError(f"--trial: {arguments.trial}", "", f"no trial of {source}", remedy)


def chosen(arguments: argparse.Namespace) -> list[Trial]:
    """Return the trials that the arguments select.

    Raises:
        InputError: they select none.
    """
    study = load_study(arguments.study)
    given = arguments.profile, arguments.testbed, arguments.board
    if arguments.trial:
        one = study.trial(arguments.trial, *given)
        trials = [one] if one else []
    else:
        trials = study.trials(*given)
    found = select(trials, _wanted(arguments.point), arguments.rep)
    if not found:
        _check_selected(arguments, study.trials(*given))
    return found


def run(arguments: argparse.Namespace) -> int:
    """Run the trials; return 1 if one failed."""
    trials = chosen(arguments)
    out = arguments.out or project.path(project.BUNDLES)
    outputs.check_folder(out.absolute())
    if arguments.missing:
        trials = [one for one in trials if not (out / one.study / one.id / "lab.json").is_file()]
        if not trials:
            print("[]" if arguments.json else "every trial has its bundle")
            return 0
    if arguments.testbed == DEFAULT_TESTBED:
        carried.check(trials)
    emulator = {"emulator": arguments.emulator}
    of_testbed = {
        "virtual": {"machine": arguments.machine} | emulator,
        "live": emulator,
        "hardware": {"place": arguments.place},
    }
    testbed = runner.testbed(arguments.testbed, **of_testbed.get(arguments.testbed, {}))
    testbed.prepare()
    if not arguments.json and len(trials) > 1:
        print(pace.announce(trials), flush=True)
    results = each(trials, testbed, out, arguments.timeout, quiet=arguments.json)
    if arguments.json:
        print(json.dumps(results, indent=1))
    else:
        last = str(Path(results[-1]["bundle"]))
        print(f"next: thinwire analyze {shlex.quote(last)}")
    return int(any(result["outcome"] != "ok" for result in results))


def each(
    trials: list[Trial],
    testbed: Testbed,
    out: Path,
    timeout_s: float | None = None,
    *,
    quiet: bool = False,
) -> list[dict[str, Any]]:
    """Run the trials one after the other; return their results, and print them unless `quiet`."""
    results: list[dict[str, Any]] = []
    gone = 0.0
    copied = frozen.kept() if len(trials) > 1 else contextlib.nullcontext()
    with copied, Bar(sum(runner.lasts_s(trial.facts) for trial in trials)) as bar:
        for number, trial in enumerate(trials, start=1):
            name = f"[{number}/{len(trials)}] {trial.study}/{trial.id}"
            began, lasts = time.monotonic(), runner.lasts_s(trial.facts)

            def show(
                virtual_s: int, name: str = name, gone: float = gone, lasts: float = lasts
            ) -> None:
                bar.show(gone + min(virtual_s, lasts), name)

            show(0)
            done = runner.run(trial, testbed, out, timeout_s, show)
            gone += lasts
            took_s = time.monotonic() - began
            pace.note(trial, took_s)
            bar.clear()
            results.append(
                {
                    "study": trial.study,
                    "trial": trial.id,
                    "outcome": done.outcome,
                    "reason": done.reason,
                    "bundle": str(done.folder),
                    "took_s": round(took_s, 3),
                }
            )
            if not quiet:
                text = colours.word(done.outcome) + (f": {done.reason}" if done.reason else "")
                print(f"{name}: {text} ({took_s:.1f} s)", flush=True)
    return results
