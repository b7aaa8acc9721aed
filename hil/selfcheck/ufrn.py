"""Run UFRN 2018's closed loops with its own libraries and servers: `python -m hil.selfcheck.ufrn`.

league/ufrn/ufrn.yaml says which; a folder of league/ufrn is a server. The medians of each trial's
times by the device's clock go to data/measured/ufrn-libraries, from which a build without these
sources decides UFRN's claims (docs/studies/ufrn.md). Prints CSV: what was run. A library whose
source is not at hand, and a server whose tool is not here, have a row that says so, and the kept
tables stay as they are where nothing could run. Exit status 1 or 2 if a trial fails.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hil.base.documents import read_yaml
from hil.base.errors import InputError, LabError, ThinwireError, TrialError, print_error
from hil.base.paths import ROOT
from hil.design import league
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine.package import package
from hil.selfcheck import library_memory, measured
from hil.system import tools
from hil.testbeds import runner
from hil.testbeds.base import Testbed

FOLDER = ROOT / "league" / "ufrn"
OUT = ROOT / "build" / "ufrn"
SCRIPT = ROOT / "workflow" / "scripts" / "exchanges.R"
STUDY = "ufrn-libraries"
KEPT = ROOT / "data" / "measured" / STUDY


def member(name: str) -> league.Member:
    """Return the server of a name."""
    return league.read_server(FOLDER / name / league.SERVER_FILE)


def served(name: str, out: Path) -> Path:
    """Build a server; return its package.

    Raises:
        InputError: its tool is missing, or it does not build.
    """
    server = member(name)
    if tool := server.missing:
        raise InputError(server.path, "build", f"there is no {tool} here", f"install {tool}")
    done = subprocess.run(
        server.build, shell=True, cwd=server.path.parent, check=False, capture_output=True
    )
    if done.returncode:
        remedy = f"run '{server.build}' in {server.path.parent}"
        raise InputError(server.path, "build", f"ends with status {done.returncode}", remedy)
    part, target = server.part, out / f"{name}.tar"
    assert part is not None
    return package(part.device, server.path.parent, target, part.files, "server")


def trials(study: Mapping[str, Any], loop: Mapping[str, Any], messages: int) -> Iterator[Trial]:
    """Yield the trials of a library: one for each role and payload."""
    server = member(loop["server"])
    common = {**study["parameters"], "mode": loop["mode"], "nagle": loop["nagle"]}
    common |= {key: server.parameters[key] for key in ("peer", "server_port")}
    common |= {"messages": messages} if messages else {}
    for role, sizes in study["roles"].items():
        pace = {"pace": "answer"} if role == "publish" else {}
        for size in sizes:
            point = {"mode": loop["mode"], "role": role, "payload_bytes": size}
            given = common | point | pace
            one = Trial(STUDY, {"image": loop["image"], **point}, 1, effective(given, FOLDER))
            yield dataclasses.replace(one, server=server.part.device if server.part else None)


def run(study: Mapping[str, Any], loop: Mapping[str, Any], testbed: Testbed,
        arguments: argparse.Namespace) -> list[Path]:  # fmt: skip
    """Run the trials of a library; return their bundles.

    Raises:
        InputError: its image or its server cannot be built.
        TrialError: a trial fails.
    """
    image = library_memory.built(f"thinwire-{loop['image']}")
    if image is None:
        raise InputError(loop["image"], "", "its source is not at hand", "firmware/libraries/fetch")
    server = served(loop["server"], arguments.out)
    bundles = []
    for trial in trials(study, loop, arguments.messages):
        done = runner.run(trial, testbed, arguments.out, device=image, server=server)
        if done.outcome != "ok":
            raise TrialError(f"{done.folder}: {done.outcome}: {done.reason}")
        print(f"{trial.id}: ok", file=sys.stderr, flush=True)
        bundles.append(done.folder)
    return bundles


def keep(bundles: list[Path], servers: list[str], out: Path) -> None:
    """Write the tables of the bundles, whose servers are named, into a folder.

    Raises:
        LabError: the analysis fails.
    """
    out.mkdir(parents=True, exist_ok=True)
    words = ["Rscript", SCRIPT, "--bundles", *bundles, "--servers", *servers]
    words += ["--measured_at", measured.commit(), "--out", out]
    done = subprocess.run(
        words, check=False, env=tools.r_environment(), capture_output=True, text=True
    )
    if done.returncode:
        raise LabError(f"the analysis failed: {done.stderr.strip()[-2000:]}")


def main() -> int:
    """Run what the arguments name, and print what was run."""
    parser = argparse.ArgumentParser(prog="python -m hil.selfcheck.ufrn", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, metavar="DIR", help="for the bundles")
    parser.add_argument("--keep", type=Path, default=KEPT, metavar="DIR", help="for the tables")
    parser.add_argument(
        "--messages", type=int, default=0, metavar="N", help="exchanges (default: the study's)"
    )
    arguments = parser.parse_args()
    study = read_yaml(FOLDER / "ufrn.yaml")
    testbed = runner.testbed("virtual", machine="uml")
    status, bundles, servers = 0, [], []
    arguments.out.mkdir(parents=True, exist_ok=True)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["image", "server", "trials", "note"])
    for loop in study["loops"]:
        row, note = [loop["image"], loop["server"]], ""
        mine: list[Path] = []
        try:
            mine = run(study, loop, testbed, arguments)
        except InputError as error:
            note = f"not run: {error}"
        except ThinwireError as error:
            status, note = max(status, print_error(error)), f"failed: {error}"
        writer.writerow([*row, len(mine), note])
        bundles += mine
        servers += [loop["server"]] * len(mine)
    try:
        if bundles:
            keep(bundles, servers, arguments.keep)
    except ThinwireError as error:
        return print_error(error)
    return status


if __name__ == "__main__":
    sys.exit(main())
