"""Compare clients of other authors over one workload: `python -m hil.selfcheck.league [CLIENT...]`.

Each folder of league/clients is a client with its thinwire.yaml; league/league.yaml has the cases
that each of them goes through, which clients also go through which cases before the servers of
league/servers, and what is compared. Prints CSV, a row for each client, server and case. A client
or server whose tool is not here has a row that names the tool, and one that fails a row that says
why. Exit status 1 or 2 if one fails, and 1 with --repeat if a client's trials differ.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import hashlib
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hil.base.documents import read_yaml
from hil.base.errors import InputError, TrialError, print_error
from hil.base.paths import ROOT
from hil.bundle import store
from hil.commands import tries, try_results
from hil.design import expectations, tryfile
from hil.design.parameters import effective
from hil.design.tryfile import TryFile
from hil.machine.package import package
from hil.rig.boards import printed
from hil.selfcheck import league_servers
from hil.selfcheck.league_servers import Server
from hil.testbeds import runner
from hil.testbeds.base import Testbed

FOLDER = ROOT / "league"
OUT = ROOT / "build" / "league"
_SPANS = {"server": "restart_spans_s", "link": "outage_spans_s"}
# The variables of programs -> the parameters that say the same to the laboratory's firmware.
VARIABLES = {
    "MESSAGES": "messages",
    "INTERVAL_MS": "interval_ms",
    "PAYLOAD_BYTES": "payload_bytes",
}


def clients(folder: Path = FOLDER) -> list[str]:
    """Return the names of the clients, sorted."""
    return sorted(path.parent.name for path in folder.glob(f"clients/*/{tryfile.FILE}"))


def missing(build: str) -> str:
    """Return the program that a build command needs and this host lacks; empty if none."""
    words = [word for word in shlex.split(build) if "=" not in word]
    needed = words[:1] + [word for word in words if word.startswith("/")]
    return next((word for word in needed if shutil.which(word) is None), "")


def in_case(tried: TryFile, case: Mapping[str, Any]) -> TryFile:
    """Return a client's file with the variables and interruptions of a case. The laboratory's
    firmware has parameters in place of variables.

    Raises:
        InputError: the case is invalid.
    """
    changes = {_SPANS[key]: value for key, value in case.get("interruptions", {}).items()}
    variables = case.get("environment", {})
    part = tried.device
    if part is None:
        changes |= {VARIABLES[name]: value for name, value in variables.items()}
    parameters = effective(tried.parameters | changes, FOLDER / "league.yaml")
    if part is not None and variables:
        given = {name: str(value) for name, value in variables.items()}
        device = dataclasses.replace(part.device, environment=part.device.environment | given)
        part = dataclasses.replace(part, device=device)
    return dataclasses.replace(tried, parameters=parameters, device=part)


def fields(text: str) -> dict[str, str]:
    """Return the fields NAME=NUMBER of what a client printed; the last one of a name counts."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        for word in line.split():
            if match := re.fullmatch(r"(\w+)=(\d+)", word):
                found[match[1]] = match[2]
    return found


def trial(tried: TryFile, testbed: Testbed, files: Mapping[str, Path], out: Path) -> runner.Done:
    """Run the trial.

    Raises:
        TrialError: its outcome is not ok.
    """
    done = runner.run(tried.trials()[0], testbed, out, **files)
    if done.outcome != "ok":
        raise TrialError(f"{done.folder}: {done.outcome}: {done.reason}")
    return done


def measured(tried: TryFile, done: runner.Done, league: Mapping[str, Any]) -> list[str]:
    """Return the row's metrics, and the numbers that the client printed; empty where there is
    none."""
    names = league["metrics"]
    wanted = expectations.parse(dict.fromkeys(names, ">= 0"), "league.yaml", names)
    results = try_results.measure(dataclasses.replace(tried, expectations=wanted), [done])
    values = [verdict.worst.value for verdict in results.verdicts]
    text = done.folder / printed.BOARD_TEXT  # firmware does not print
    own = fields(text.read_text(encoding="utf-8")) if text.is_file() else {}
    return [
        *("" if value is None else _number(value) for value in values),
        *(own.get(name, "") for name in league["printed"]),
    ]


def _number(value: float) -> str:
    """Return counts whole, and others with four digits."""
    return f"{value:.0f}" if value == int(value) else f"{value:.4g}"


def digest(done: runner.Done) -> str:
    """Return the first digits of the bundle's digest."""
    return hashlib.sha256((done.folder / store.SUMS).read_bytes()).hexdigest()[:12]


def build(tried: TryFile, server: Server | None) -> str:
    """Build client and server; return the program that this host lacks for it, empty if none.

    Raises:
        InputError: one does not build.
    """
    commands = [(tried.build, tried.path)]
    if server is not None:
        commands.append((server.build, server.path))
    if tool := next((tool for command, _ in commands if (tool := missing(command))), ""):
        return tool
    for command, path in commands:
        if command:
            tries.build(dataclasses.replace(tried, path=path, build=command))
    return ""


def pairs(names: Iterable[str], league: Mapping[str, Any]) -> Iterator[tuple[str, Server | None]]:
    """Yield each client with its usual server (None), and with others that league.yaml names."""
    servers = [league_servers.read(name) for name in league_servers.names()]
    for name in names:
        yield name, None
        for server in servers:
            if name in league["servers"]["clients"][server.parameters["protocol"]]:
                yield name, server


def rows(
    pair: tuple[str, Server | None],
    league: Mapping[str, Any],
    testbed: Testbed,
    out: Path,
    repeat: int,
) -> Iterator[list[str]]:
    """Yield the rows of one client before one server: with `repeat`, how many digests so many
    trials have.

    Raises:
        InputError, TrialError: it does not build, or does not run.
    """
    name, server = pair
    tried = tryfile.read(FOLDER / "clients" / name)
    peer = server.name if server else league_servers.usual(tried)
    head, out = [name, peer, tried.parameters["protocol"]], out / name / peer
    if tool := build(tried, server):
        yield [*head, f"not built: no {tool}"]
        return
    tried = tryfile.read(tried.folder)
    files = tries.packages(tried, out)
    if server is not None:
        tried = league_servers.before(tried, server)
        if part := server.part:
            folder = server.path.parent
            files["server"] = package(part.device, folder, out / "server.tar", part.files, "server")
    for case, changes in league["cases"].items():
        if server is not None and case not in league["servers"]["cases"]:
            continue
        one, folder = in_case(tried, changes), out / case.replace(" ", "-")
        done = trial(one, testbed, files, folder)
        if repeat:
            digests = {digest(done)}
            digests |= {digest(trial(one, testbed, files, folder)) for _ in range(repeat - 1)}
            yield [*head, case, str(repeat), str(len(digests))]
        else:
            # The path below `out` is the same on every computer.
            bundle = done.folder.relative_to(out.parents[1])
            yield [*head, case, *measured(one, done, league), digest(done), str(bundle)]


def table(names: Iterable[str], league: Mapping[str, Any], out: Path, repeat: int) -> int:
    """Print the table; return the exit status."""
    testbed = runner.testbed("virtual", machine="uml")
    testbed.prepare()
    results = [*league["metrics"], *league["printed"], "digest", "bundle"]
    more = ["runs", "digests"] if repeat else results
    head = ["client", "server", "protocol", "case", *more]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(head)
    status = 0
    for pair in pairs(names, league):
        try:
            for row in rows(pair, league, testbed, out, repeat):
                writer.writerow([*row, *[""] * (len(head) - len(row))])
                sys.stdout.flush()
                status = max(status, int(repeat > 0 and len(row) == len(head) and row[-1] != "1"))
        except (InputError, TrialError) as error:
            name, server = pair
            row = [name, server.name if server else "", "", f"failed: {error}"]
            writer.writerow([*row, *[""] * (len(head) - len(row))])
            status = max(status, print_error(error))
    return status


def main() -> int:
    """Run what the arguments name."""
    parser = argparse.ArgumentParser(prog="python -m hil.selfcheck.league", description=__doc__)
    parser.add_argument("client", nargs="*", metavar="CLIENT", help="(default: all of them)")
    parser.add_argument("--out", type=Path, default=OUT, metavar="DIR", help="for the bundles")
    parser.add_argument(
        "--repeat", type=int, default=0, metavar="N", help="compare N trials of each case"
    )
    parser.add_argument("--case", metavar="CASE", help="of league.yaml (default: all of them)")
    arguments = parser.parse_args()
    league = dict(read_yaml(FOLDER / "league.yaml"))
    if arguments.case is not None:
        if arguments.case not in league["cases"]:
            hint = f"name one of {', '.join(league['cases'])}"
            return print_error(InputError("--case", arguments.case, "is no case", hint))
        league["cases"] = {arguments.case: league["cases"][arguments.case]}
    for name in arguments.client:
        if name not in clients():
            known = ", ".join(clients())
            return print_error(InputError("CLIENT", name, "is no client", f"name one of {known}"))
    return table(arguments.client or clients(), league, arguments.out, arguments.repeat)


if __name__ == "__main__":
    sys.exit(main())
