"""`thinwire demo`: the two trials of the study `smoke`, and what their logs count."""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path

from hil.commands import analysis, machine_options, outputs, trial_run
from hil.design.studies import load_study
from hil.testbeds import runner

STUDY = "smoke"
OUT = Path("thinwire-demo")
DESCRIPTION = """\
Run one short trial of MQTT and one of CoAP in the virtual laboratory, and print what the logs of
device and server count. Each trial leaves a bundle with its capture. It needs a few seconds, and no
compiler, R or tshark.

  thinwire demo
  thinwire demo --out /tmp/demo

Exit status: 0; 1 if a trial failed; 3 if the laboratory failed.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `thinwire demo` to its parser."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "--out", type=Path, default=OUT, metavar="DIR", help=f"root of the bundles (default: {OUT})"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    machine_options.add_machine(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the trials; return 1 if one failed."""
    trials = load_study(STUDY).trials("quick")
    outputs.check_folder(arguments.out.absolute())
    testbed = runner.testbed("virtual", machine=arguments.machine, emulator=arguments.emulator)
    testbed.prepare()
    results = trial_run.each(trials, testbed, arguments.out, quiet=arguments.json)
    failed = int(any(one["outcome"] != "ok" for one in results))
    if arguments.json:
        print(json.dumps(results, indent=1))
        return failed
    folders = [Path(one["bundle"]) for one in results]
    print("\n".join(["", *analysis.count_lines(folders), ""]))
    for folder in folders:
        print(f"capture  {folder / 'wire.pcapng.gz'}")
    command = shlex.join(["thinwire", "analyze", *map(str, folders)])
    print(f"bytes, times and more: {command}")
    if analysis.lacking():
        print(f"(after '{analysis.remedy()}')")
    print("a client of your own: thinwire new try my-client --language python")
    return failed
