"""`thinwire hunt FOLDER`: search schedules of faults that break an expectation (docs/hunt.md)."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import sys
from pathlib import Path

from hil.base.errors import InputError, LabError
from hil.bundle import store
from hil.commands import analysis, hunt_coverage, hunt_report, hunt_state, outputs, tries
from hil.commands.hunt_finds import Finder
from hil.commands.hunt_judge import Judge, wanted
from hil.commands.hunt_search import AHEAD, Search
from hil.commands.hunt_session import Sessions
from hil.commands.hunt_state import State
from hil.commands.hunt_trials import Examined, Laboratory
from hil.design import faultlist, schedules, tryfile
from hil.design.expectations import Expectation
from hil.design.facts import Facts
from hil.design.schedules import Space
from hil.design.shrinking import Case
from hil.design.trials import canonical_json
from hil.design.tryfile import TryFile
from hil.machine.uml import frozen
from hil.rig.boards import emulators
from hil.system import scratch
from hil.system.progress import Bar
from hil.testbeds import runner

OUT = Path(tries.OUT) / "hunt"
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
DESCRIPTION = """\
Search for faults that break a client. FOLDER has a thinwire.yaml as for 'thinwire try'. The client
runs again and again in the virtual laboratory, each time with other faults: frames lost or
damaged, a half-open connection, a server that is killed. What must hold are the expectations of
thinwire.yaml, and what the specifications promise (docs/hunt.md). What breaks is confirmed, shrunk
to the fewest faults, and stored as a folder that 'thinwire try' runs.

  thinwire hunt my-client                           search for ten minutes
  thinwire hunt my-client --for 8h --jobs 4         search for a night, four trials at once
  thinwire hunt my-client --schedules 9 --seed 7    nine schedules of another sequence
  thinwire hunt my-client --only delivered          search for what breaks this expectation

The same command goes on after a stop. The seed determines the sequence of schedules, whatever the
jobs. Exit status: 0 if nothing was found; 1 if something was; 2 for bad input; 3 if the laboratory
failed.
"""


def duration_s(text: str) -> float:
    """Return a time such as 90s, 10m or 8h in seconds.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    if not found or float(found[1]) <= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no time; write 90s, 10m or 8h")
    return float(found[1]) * _UNITS[found[2]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `thinwire hunt` to its parser."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="a folder with a thinwire.yaml, or that file"
    )
    parser.add_argument(
        "--for",
        dest="for_s",
        type=duration_s,
        default="10m",
        metavar="TIME",
        help="how long to search: 90s, 10m, 8h (default: 10m)",
    )
    parser.add_argument(
        "--schedules", type=int, metavar="N", help="stop after N schedules of the whole search"
    )
    parser.add_argument(
        "--finds", type=int, metavar="N", help="stop as soon as the whole search has N finds"
    )
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="trials at once (default: one for each CPU)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="of the sequence of schedules (default: 1)"
    )
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="search for what breaks this expectation"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help=f"folder for the results (default: {OUT} in FOLDER)"
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    tries.add_run(parser)


def _jobs(given: int | None) -> int:
    jobs = min(AHEAD, len(os.sched_getaffinity(0))) if given is None else given
    if not 1 <= jobs <= AHEAD:
        raise InputError("--jobs", str(jobs), "is out of range", f"give 1 to {AHEAD}")
    return jobs


def _out(arguments: argparse.Namespace, tried: TryFile) -> Path:
    """Return the folder of the results. One inside the client's folder would become part of what
    runs."""
    out = Path(arguments.out or tried.folder / OUT)
    inside = out.resolve().is_relative_to(tried.folder.resolve())
    if inside and tries.OUT not in out.resolve().parts:
        remedy = f"name a folder elsewhere, or below {tries.OUT}"
        raise InputError("--out", str(out), "is inside the client's folder", remedy)
    outputs.check_folder(out.absolute())
    outputs.check_file(arguments.report, "--report")
    return out


def _chosen(arguments: argparse.Namespace) -> TryFile:
    """Return the file, and check the options that refer to it."""
    tried = tryfile.read(arguments.folder)
    for option in ("schedules", "finds"):
        if (given := getattr(arguments, option)) is not None and given < 1:
            raise InputError(f"--{option}", str(given), "is no number", "give 1 or more")
    names = {one.name for one in wanted(tried.expectations)}
    names |= {one.metric for one in wanted(tried.expectations)}
    for name in arguments.only or ():
        if name not in names:
            remedy = f"known are: {', '.join(sorted(names))}"
            raise InputError("--only", name, "is no expectation of this search", remedy)
    return tried


def _conditions(
    tried: TryFile, packages: dict[str, Path], baseline: Examined, arguments: argparse.Namespace
) -> str:
    """Return the digest of what the sequence of a search and its results depend on."""
    return store.digest(
        canonical_json(
            {
                "parameters": tried.parameters,
                "seed": arguments.seed,
                "trial": tried.seeds[0],
                "only": sorted(arguments.only or ()),
                "expect": [[one.metric, one.operator, one.limit] for one in tried.expectations],
                "packages": {key: store.file_digest(path) for key, path in packages.items()},
                "baseline": baseline.digest,
                "settings": hashlib.sha256(schedules.SETTINGS.read_bytes()).hexdigest(),
            }
        ).encode()
    )


def _kinds(emulator: str) -> tuple[str, ...]:
    """Return the kinds of faults; QEMU has none of the device."""
    own = emulator == emulators.DEFAULT
    return tuple(kind for kind in faultlist.KINDS if own or kind not in faultlist.AT_THE_DEVICE)


def _packets(tried: TryFile, baseline: Examined) -> dict[tuple[str, str], int]:
    """Return packet and side -> how many of them a fault can wait for."""
    (trial,) = tried.trials()[:1]
    known = faultlist.packets(trial.facts)
    found = {
        (one["packet"], one["from"]): int(one["count"])
        for one in baseline.packets
        if one["packet"] in known
    }
    for side in ("device", "server"):
        found["DATA", side] = sum(
            int(one["count"]) for one in baseline.packets if one["from"] == side
        )
    if "SYN" in known:
        found["SYN", "device"] = 1
    return found


def _try(tried: TryFile) -> str:
    """Return the command that runs the trial alone."""
    return shlex.join(["thinwire", "try", str(tried.folder)])


def _baseline(
    laboratory: Laboratory, tried: TryFile, expectations: list[Expectation]
) -> tuple[Examined, Judge]:
    """Run the trial without faults, twice; the second one counts the packets while faults may last.

    Raises:
        LabError: the laboratory failed.
        InputError: the trial fails, or does not repeat, or nothing is left to search for.
    """
    case = Case([], int(tried.parameters["duration_s"]))
    see = f"see {_try(tried)}, without its faults"
    one = laboratory.begin(case, again=True).result()
    if one.lab_failure:
        raise LabError(one.lab_failure)
    if one.outcome != "ok":
        raise InputError(tried.path, "", f"the trial without faults fails: {one.reason}", see)
    given = tried.parameters
    judge = Judge(tried.expectations, expectations, one, given["protocol"], given.get("qos"))
    two = laboratory.begin(case, judge.over_by_s, again=True).result()
    if two.lab_failure:
        raise LabError(two.lab_failure)
    if one.digest != two.digest:
        problem = "two runs of the trial without faults differ"
        raise InputError(tried.path, "", problem, f"{see}, with --repeat 2")
    return two, judge


def run(arguments: argparse.Namespace) -> int:
    """Return 1 if something was found, else 0."""
    jobs, tried = _jobs(arguments.jobs), _chosen(arguments)
    out = _out(arguments, tried)
    analysis.rscript()
    if tried.build and not arguments.no_build:
        tries.build(tried.path, tried.build, tries.project_folder(tried))
        tried = _chosen(arguments)
    testbed = runner.testbed("virtual", machine=arguments.machine, emulator=arguments.emulator)
    testbed.prepare()
    packages = tries.packages(tried, out)
    expectations = wanted(tried.expectations)
    if arguments.only:
        expectations = [one for one in expectations if {one.name, one.metric} & set(arguments.only)]
    stopped: KeyboardInterrupt | None = None
    with frozen.kept(), scratch.folder() as aside:
        sessions = Sessions(aside, expectations)
        laboratory = Laboratory(
            tried,
            testbed,
            packages,
            sessions=sessions,
            aside=aside,
            jobs=jobs,
            timeout_s=arguments.timeout,
        )
        try:
            baseline, judge = _baseline(laboratory, tried, expectations)
            if not judge.judged:
                problem = "no expectation holds without faults"
                raise InputError(tried.path, "expect", problem, f"see {_try(tried)}")
            print("\n".join(hunt_report.head(judge)), file=sys.stderr, flush=True)
            until_s = max(0.0, judge.span_s - judge.settle_s)
            space = Space(
                until_s,
                _packets(tried, baseline),
                laboratory.valid,
                _kinds(arguments.emulator),
            ).possible()
            state = hunt_state.load(out, _conditions(tried, packages, baseline, arguments))
            _prepare(state, tried, baseline, laboratory)
            finder = Finder(laboratory, judge, space, testbed, out)
            with Bar(arguments.for_s) as bar:
                search = Search(
                    laboratory=laboratory,
                    judge=judge,
                    space=space,
                    finder=finder,
                    state=state,
                    out=out,
                    seed=arguments.seed,
                    show=lambda state, gone, what: bar.show(
                        gone, hunt_report.progress(state, what)
                    ),
                )
                try:
                    search.run(arguments.for_s, arguments.schedules, arguments.finds)
                except KeyboardInterrupt as stop:  # the results up to here are of use
                    stopped = stop
        finally:
            laboratory.close()
    image = packages.get("device") or runner.firmware(tried.board, Facts.of(tried.parameters))
    functions = hunt_coverage.keep(image, state.executed, out)
    text = json.dumps(hunt_report.document(state, judge, functions), indent=1, sort_keys=True)
    if arguments.report:
        outputs.write_text(f"{text}\n", arguments.report, "--report")
    if arguments.json:
        print(text)
    else:
        print("\n".join(hunt_report.lines(state, judge, functions)))
    if stopped:
        raise stopped
    return int(bool(state.finds))


def _prepare(state: State, tried: TryFile, baseline: Examined, laboratory: Laboratory) -> None:
    """Let a new search begin with the faults of the thinwire.yaml, then its corpus, as far as the
    trial can have them."""
    if state.tried or state.next:
        return
    state.features, state.executed = sorted(baseline.features), sorted(baseline.executed)
    own = tried.parameters.get("faults")
    cases = [*([own] if own else []), *state.pending]
    state.pending = [case for case in cases if laboratory.valid(case)]
