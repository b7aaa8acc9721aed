"""Does `thinwire hunt` find the faults of public bug reports again? hunt_reports.py [NAME...]

For each report of firmware/tests/reports this makes its client and searches its trial without
faults for what breaks the report's expectation. A find counts if the sound client, without the
report's change, holds the same schedule; else the search goes on. What breaks without any fault
needs no search. docs/measured/hunt-proof.csv gets a row for each report. One that has a row is left
out, unless it is named. A search that was stopped goes on; its times are those since then.

Exit status 1 if a report was not found in time, 2 if a client cannot be made or run.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import reports
import yaml
from reports import Report, Unusable
from searching import MEASURED, TOP, Failed, Spent, Table, holds, sound_holds

from hil.selfcheck.measured import commit

HEAD = (
    *("client", "reports", "expectation", "found", "schedules", "wall time, s"),
    *("processor time, s", "faults", "schedule that was found", "load", "measured at"),
)
WORK = TOP / "build" / "hunts"


def _folders(report: Report) -> tuple[Path, Path]:
    """Return the folder of the client with the report's change, and of the sound one."""
    found = WORK / report.name / "client", WORK / report.name / "sound"
    reports.make(report, found[0], bare=True)
    reports.make(report, found[1], sound=True, bare=True)
    return found


def searched(report: Report, minutes: float, given: list[str]) -> list[str]:
    """Return the row of a report. `given`: options of the search.

    Raises:
        Unusable, Failed: the client cannot be made, or the laboratory failed.
    """
    client, sound = _folders(report)
    expected = f"{report.breaks}: {report.trial['expect'][report.breaks]}"
    spent, found, schedules, faults = Spent(), False, 0, []
    _, tried = spent.thinwire("try", str(client))
    if not holds(tried, report.breaks):
        bare = {"faults": [], "duration_s": report.trial["duration_s"], "expected": expected}
        found = sound_holds(spent, sound, bare)
    number = 0
    while not found and (left_s := minutes * 60 - spent.wall_s) >= 1:
        number += 1
        words = ["hunt", str(client), "--for", f"{left_s:.0f}s", "--finds", str(number), *given]
        _, results = spent.thinwire(*words, "--only", report.breaks)
        schedules = results["schedules"]
        if len(results["finds"]) < number:
            break
        find = results["finds"][number - 1]
        found = sound_holds(spent, sound, find)
        faults = find["faults"] if found else []
    return [
        report.name,
        ", ".join(report.reports),
        expected,
        "yes" if found else "no",
        str(schedules),
        f"{spent.wall_s:.0f}",
        f"{spent.cpu_s:.0f}",
        str(len(faults)),
        "; ".join(
            yaml.safe_dump(one, sort_keys=False, default_flow_style=True, width=1000).strip()
            for one in faults
        ),
        f"{os.getloadavg()[0]:.0f}",
        commit(),
    ]


def main() -> int:
    """Search for each report that has no row yet, or is named."""
    parser = argparse.ArgumentParser(prog="hunt_reports.py", description=__doc__)
    parser.add_argument("name", nargs="*", help=", ".join(reports.names()))
    parser.add_argument("--minutes", type=float, default=60, help="for each report (default: 60)")
    parser.add_argument("--seed", default="1", help="of the sequence of schedules (default: 1)")
    parser.add_argument("--jobs", default="2", help="trials at once (default: 2)")
    given = parser.parse_args()
    table = Table(MEASURED / "hunt-proof.csv", HEAD)
    status = 0
    for name in given.name or [one for one in reports.names() if not table.has(one)]:
        try:
            options = ["--seed", given.seed, "--jobs", given.jobs]
            row = searched(reports.read(name), given.minutes, options)
        except (Unusable, Failed) as error:
            print(f"thinwire: error: {name}: {error}", file=sys.stderr)
            status = 2
            continue
        table.put(row)
        print(*row, sep="\t", flush=True)
        status = max(status, int(row[HEAD.index("found")] != "yes"))
    return status


if __name__ == "__main__":
    sys.exit(main())
