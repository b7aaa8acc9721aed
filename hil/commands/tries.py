"""`thinwire try FOLDER`: try a client of the user's own in the laboratory (docs/try.md)."""

from __future__ import annotations

import argparse
import dataclasses
import os
import subprocess
import sys
import time
from pathlib import Path

from hil.base.errors import InputError, print_error
from hil.base.paths import ROOT
from hil.commands import analysis, machine_options, outputs, try_report, try_results
from hil.commands.try_repeat import Difference, Repeats
from hil.design import tryfile
from hil.design.device import IMAGE
from hil.design.tryfile import TryFile
from hil.machine.package import package
from hil.machine.shipped import IN_WHEEL
from hil.system import colours, scratch
from hil.system.progress import Bar
from hil.testbeds import runner
from hil.testbeds.base import Testbed

OUT = "thinwire-out"
_STANDARD_ERROR = 2
_NO_PROGRAM = 127  # the shell's exit status; it has named the program
DESCRIPTION = """\
Try a client of your own: a program, a script, firmware for the LX106, or a program with its own
network stack. FOLDER has a file thinwire.yaml, which names the device, the server, the network
between them, and what must hold. The client runs in the virtual laboratory, once for each seed,
and its traffic is captured and measured. The same seed gives the same capture; where it does not,
the first packet that differs is printed, with the causes that are known.

  thinwire new try my-client --language python    make a folder with a working client
  thinwire try my-client                          try it; print what holds and what does not
  thinwire try my-client --seed 2                 repeat the trial of one seed
  thinwire try my-client --repeat 10              run each trial ten times and compare the bytes
  thinwire try my-client --junit report.xml       write the results for a CI system, too

Exit status: 0 if everything holds and repeats; 1 if not; 2 for bad input; 3 if the laboratory
failed.
"""


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that build and run the client of a thinwire.yaml."""
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="write the results as JSON, too"
    )
    parser.add_argument("--no-build", action="store_true", help="do not run the build command")
    machine_options.add_machine(parser)
    parser.add_argument(
        "--timeout", type=float, metavar="S", help="limit of a trial's wall-clock time"
    )


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `thinwire try` to its parser."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="a folder with a thinwire.yaml, or that file"
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="only the trial of this seed (default: all of them)"
    )
    parser.add_argument(
        "--repeat", type=int, default=1, metavar="N", help="run each trial N times (default: 1)"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help=f"folder for the results (default: {OUT} in FOLDER)"
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument(
        "--junit", type=Path, metavar="FILE", help="write the results as JUnit XML, too"
    )
    add_run(parser)


def _chosen(arguments: argparse.Namespace) -> TryFile:
    """Return the file with the seeds that the arguments select."""
    found = tryfile.read(arguments.folder)
    if arguments.repeat < 1:
        raise InputError(
            "--repeat", str(arguments.repeat), "is no number of runs", "give 1 or more"
        )
    if arguments.seed is None:
        return found
    if arguments.seed < 1:
        raise InputError("--seed", str(arguments.seed), "is no seed", "give 1 or more")
    return dataclasses.replace(found, seeds=(arguments.seed,))


def project_folder(tried: TryFile) -> str:
    """Return the folder with what firmware is built with: this clone, or the one that the variable
    THINWIRE names to a wheel; empty if there is none.

    Raises:
        InputError: the device is firmware, and there is none.
    """
    folder = os.environ.get("THINWIRE", "") if IN_WHEEL else str(ROOT)
    if tried.kind == IMAGE and not folder:
        problem = "needs the project's firmware, which a wheel does not have"
        remedy = "set THINWIRE to a clone, or build in one and use --no-build"
        raise InputError(tried.path, "build", problem, remedy)
    return folder


def build(file: Path, command: str, project: str = str(ROOT)) -> None:
    """Run the build command that a file states, in the file's folder; its output goes to standard
    error. The variable THINWIRE names the project's folder, which holds what firmware is built with
    (docs/try-lx106.md).

    Raises:
        InputError: it fails.
    """
    print(f"build: {command}", file=sys.stderr, flush=True)
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=file.parent,
        env=os.environ | {"THINWIRE": project},
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=_STANDARD_ERROR,
    )
    if done.returncode:
        correct = "install the program" if done.returncode == _NO_PROGRAM else "correct it"
        remedy = f"{correct}, or build by hand and use --no-build"
        raise InputError(file, "build", f"ends with status {done.returncode}", remedy)


def packages(tried: TryFile, out: Path) -> dict[str, Path]:
    """Return the file of the user's device, and that of the server, as far as there are any."""
    found = {}
    for key, part in (("device", tried.device), ("server", tried.server)):
        if part is None:
            continue
        if part.device.kind == IMAGE:
            found[key] = tried.folder / part.device.argv[0]
        else:
            target = out / f"{key}.tar"
            found[key] = package(part.device, tried.folder, target, part.files, key)
    return found


def _run(
    tried: TryFile, testbed: Testbed, arguments: argparse.Namespace
) -> tuple[list[runner.Done], list[Difference]]:
    """Run one trial after the other; return their bundles, and which runs differ."""
    trials, done, runs = tried.trials(), [], arguments.repeat
    out = arguments.out or tried.folder / OUT
    files = packages(tried, out)
    lasts = runner.lasts_s(trials[0].facts)
    with Bar(len(trials) * runs * lasts) as bar, scratch.folder() as aside:
        repeats = Repeats(out, aside, files)
        for number, trial in enumerate(trials):
            repeats.keep_earlier(trial)
            for again in range(runs):
                name = f"seed {trial.repetition}" + (f", run {again + 1}" if runs > 1 else "")
                began, gone = time.monotonic(), (number * runs + again) * lasts

                def show(virtual_s: int, gone: float = gone, name: str = name) -> None:
                    bar.show(gone + min(virtual_s, lasts), name)

                show(0)
                target = aside / str(again) if again else out
                one = runner.run(trial, testbed, target, arguments.timeout, show, **files)
                text = colours.word(one.outcome, stream=sys.stderr)
                reason = f": {one.reason}" if one.reason else ""
                bar.clear()
                took = f"{time.monotonic() - began:.1f} s for {lasts:g} s"
                print(f"{name}: {text}{reason} ({took})", file=sys.stderr, flush=True)
                if again:
                    repeats.compare(trial, done[-1].folder, one.folder, f"run {again + 1}")
                else:
                    done.append(one)
                    repeats.compare_earlier(trial, one.folder)
    return done, repeats.found


def _counted(bundles: list[runner.Done], differences: list[Difference]) -> int:
    """Print what logs count, where captures are and which runs differ, where expectations cannot be
    measured.

    Returns:
        The exit status of a missing tool; the error says what to install.
    """
    folders = [one.folder for one in bundles]
    print("\n".join([*analysis.count_lines(folders), ""]))
    for folder in folders:
        print(f"capture  {folder / 'wire.pcapng.gz'}")
    for one in differences:
        print("\n".join([f"seed {one.seed}", *try_report.difference_lines(one)]))
    sys.stdout.flush()  # the error comes last, also where both go to one file
    return print_error(analysis.missing("the expectations"))


def run(arguments: argparse.Namespace) -> int:
    """Return 0 if every expectation holds in every trial, and each trial repeats; else 1."""
    tried = _chosen(arguments)
    outputs.check_folder((arguments.out or tried.folder / OUT).absolute())
    outputs.check_file(arguments.junit, "--junit")
    outputs.check_file(arguments.report, "--report")
    if tried.build and not arguments.no_build:
        build(tried.path, tried.build, project_folder(tried))
        tried = _chosen(arguments)  # whether a word is a file of the folder is known only now
    testbed = runner.testbed("virtual", machine=arguments.machine, emulator=arguments.emulator)
    testbed.prepare()
    bundles, differences = _run(tried, testbed, arguments)
    if analysis.lacking():
        return _counted(bundles, differences)
    results = try_results.measure(tried, bundles, arguments.repeat, differences)
    if arguments.junit:
        try_report.write_junit(results, arguments.junit)
    if arguments.report:
        try_report.write_json(results, arguments.report)
    if arguments.json:
        print(try_report.json_text(results))
    else:
        print("\n".join(try_report.lines(results)))
    return int(not results.good)
