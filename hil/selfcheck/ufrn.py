"""Run UFRN 2018's closed loops with its own libraries and servers: `python -m hil.selfcheck.ufrn`.

league/ufrn/ufrn.yaml says which; a folder of league/ufrn is a server. Prints CSV: the medians of
each trial's times by the device's clock (workflow/scripts/exchanges.R), which docs/studies/ufrn.md
explains. A library whose source is not at hand, and a server whose tool is not here, have a row
that says so. Exit status 1 or 2 if a trial fails.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hil.base.documents import read_yaml
from hil.base.errors import InputError, LabError, ThinwireError, TrialError, print_error
from hil.base.paths import ROOT
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine.package import package
from hil.selfcheck import league_servers, library_memory
from hil.system import tools
from hil.testbeds import runner
from hil.testbeds.base import Testbed

FOLDER = ROOT / "league" / "ufrn"
OUT = ROOT / "build" / "ufrn"
SCRIPT = ROOT / "workflow" / "scripts" / "exchanges.R"
STUDY = "ufrn-libraries"


def served(name: str, out: Path) -> tuple[league_servers.Server, Path]:
    """Build a server; return it and its package.

    Raises:
        InputError: its tool is missing, or it does not build.
    """
    server = league_servers.read(name, FOLDER)
    if server.part is None:
        raise InputError(server.path, "program", "is missing", "name the server's program")
    tool = shlex.split(server.build)[0]
    if shutil.which(tool) is None:
        raise InputError(server.path, "build", f"there is no {tool} here", f"install {tool}")
    done = subprocess.run(
        server.build, shell=True, cwd=server.path.parent, check=False, capture_output=True
    )
    if done.returncode:
        remedy = f"run '{server.build}' in {server.path.parent}"
        raise InputError(server.path, "build", f"ends with status {done.returncode}", remedy)
    part, target = server.part, out / f"{name}.tar"
    return server, package(part.device, server.path.parent, target, part.files, "server")


def trials(study: Mapping[str, Any], loop: Mapping[str, Any], messages: int) -> Iterator[Trial]:
    """Yield the trials of a library: one for each role and payload."""
    server = league_servers.read(loop["server"], FOLDER)
    common = {**study["parameters"], "mode": loop["mode"], "nagle": loop["nagle"]}
    common |= {key: server.parameters[key] for key in ("peer", "server_port")}
    common |= {"messages": messages} if messages else {}
    for role, sizes in study["roles"].items():
        pace = {"pace": "answer"} if role == "publish" else {}
        for size in sizes:
            point = {"mode": loop["mode"], "role": role, "payload_bytes": size}
            given = common | point | pace
            assert server.part is not None
            one = Trial(STUDY, {"image": loop["image"], **point}, 1, effective(given, FOLDER))
            yield dataclasses.replace(one, server=server.part.device)


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
    _, server = served(loop["server"], arguments.out)
    bundles = []
    for trial in trials(study, loop, arguments.messages):
        done = runner.run(trial, testbed, arguments.out, device=image, server=server)
        if done.outcome != "ok":
            raise TrialError(f"{done.folder}: {done.outcome}: {done.reason}")
        print(f"{trial.id}: ok", file=sys.stderr, flush=True)
        bundles.append(done.folder)
    return bundles


def measured(bundles: list[Path], servers: Mapping[str, str]) -> list[list[str]]:
    """Return the table of the bundles, with its head.

    Raises:
        LabError: the analysis fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "exchanges.csv"
        words = ["Rscript", SCRIPT, "--bundles", *bundles, "--out", table]
        done = subprocess.run(
            words, check=False, env=tools.r_environment(), capture_output=True, text=True
        )
        if done.returncode:
            raise LabError(f"the analysis failed: {done.stderr.strip()[-2000:]}")
        head, *rows = csv.reader(table.read_text(encoding="utf-8").splitlines())
    return [["server", *head], *([servers[row[0]], *row] for row in rows)]


def main() -> int:
    """Run what the arguments name, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m hil.selfcheck.ufrn", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, metavar="DIR", help="for the bundles")
    parser.add_argument(
        "--messages",
        type=int,
        default=0,
        metavar="N",
        help="exchanges (default: those of the study)",
    )
    arguments = parser.parse_args()
    study = read_yaml(FOLDER / "ufrn.yaml")
    testbed = runner.testbed("virtual", machine="uml")
    status, bundles, absent = 0, [], []
    arguments.out.mkdir(parents=True, exist_ok=True)
    for loop in study["loops"]:
        try:
            bundles += run(study, loop, testbed, arguments)
        except InputError as error:
            absent.append([loop["server"], loop["image"], f"not run: {error}"])
        except ThinwireError as error:
            status = max(status, print_error(error))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    try:
        servers = {loop["image"]: loop["server"] for loop in study["loops"]}
        table = measured(bundles, servers) if bundles else [["server", "image", "note"]]
    except ThinwireError as error:
        return print_error(error)
    width = len(table[0])
    writer.writerows([*table, *([*row, *[""] * (width - len(row))] for row in absent)])
    return status


if __name__ == "__main__":
    sys.exit(main())
